package import Vocabulary
internal import Web

/// What a store says lies in a bucket.
package struct S3List: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package let key: String
        package let size: Int
        /// When it was written, or begun; never where that cannot be read.
        package let time: WallTime?
        /// Of what was begun in parts.
        package var upload: String?

        package init(key: String, size: Int, time: WallTime?, upload: String? = nil) {
            self.key = key
            self.size = size
            self.time = time
            self.upload = upload
        }
    }

    package private(set) var items: [Item] = []
    /// Where the rest begins.
    package private(set) var next: String?

    package init(parsing body: [UInt8]) throws(XMLElement.Failure) {
        let root = try XMLElement(parsing: body)
        switch root.name {
        case "ListBucketResult":
            self.items = root.all("Contents").compactMap { Self.item($0, "LastModified") }
            if root.text(of: "IsTruncated") == "true" { self.next = root.text(of: "NextContinuationToken") }
        case "ListMultipartUploadsResult":
            self.items = root.all("Upload").compactMap { Self.item($0, "Initiated") }
        default: throw .malformed
        }
    }

    private static func item(_ element: XMLElement, _ time: String) -> Item? {
        guard let key = element.text(of: "Key") else { return nil }
        return Item(
            key: key, size: element.text(of: "Size").flatMap { Int($0) } ?? 0,
            time: element.text(of: time).flatMap { Self.time($0) }, upload: element.text(of: "UploadId"))
    }

    /// `2009-10-12T17:50:30.000Z`
    static func time(_ text: String) -> WallTime? {
        let digits = text.utf8.prefix(19).map { Int($0) - 48 }
        guard digits.count == 19, text.hasSuffix("Z") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for place in range {
                guard (0...9).contains(digits[place]) else { return nil }
                value = value * 10 + digits[place]
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), hour < 24, minute < 60, second < 61,
            let date = CalendarDay(year: year, month: month, day: day)
        else { return nil }
        return WallTime(seconds: Int64(date.number * 86_400 + hour * 3600 + minute * 60 + second))
    }
}
