internal import Bytes
internal import Hashing
package import Vocabulary
internal import Web

/// Signs requests as AWS's Signature Version 4 has it, which every S3 store understands: in the field `Authorization`, or in the query of a
/// link that works for a while without anything else.
package struct SigV4: Sendable {
    private let keys: S3Keys
    private let region: String
    private let service: String

    private static let algorithm = "AWS4-HMAC-SHA256"
    /// Stands for the sum of a body that is not signed.
    package static let unsignedPayload = "UNSIGNED-PAYLOAD"

    package init(_ keys: S3Keys, region: String, service: String = "s3") {
        self.keys = keys
        self.region = region
        self.service = service
    }

    package typealias Pairs = [(name: String, value: String)]

    /// - Parameters:
    ///   - path: escaped, as it stands in the request line.
    ///   - fields: all that are signed, `host` and `x-amz-date` among them.
    ///   - payload: the sum of the body in hexadecimal digits, or `unsignedPayload`.
    /// - Returns: the value of `Authorization`.
    package func authorization(
        _ method: String, path: String, query: Pairs, fields: Pairs, payload: String, at time: WallTime
    ) -> String {
        let stamp = Stamp(time)
        let (request, names) = Self.canonical(method, path, query, fields, payload)
        let signature = self.signature(of: request, stamp)
        return """
            \(Self.algorithm) Credential=\(self.keys.id)/\(self.scope(stamp)), SignedHeaders=\(names), \
            Signature=\(signature)
            """
    }

    /// The query of a link that lets whoever has it send this request for so many seconds.
    package func presigned(
        _ method: String, path: String, query: Pairs, host: String, at time: WallTime, seconds: Int
    ) -> String {
        let stamp = Stamp(time)
        var query = query
        query.append(("X-Amz-Algorithm", Self.algorithm))
        query.append(("X-Amz-Credential", "\(self.keys.id)/\(self.scope(stamp))"))
        query.append(("X-Amz-Date", stamp.text))
        query.append(("X-Amz-Expires", "\(seconds)"))
        if let session = self.keys.session { query.append(("X-Amz-Security-Token", session)) }
        query.append(("X-Amz-SignedHeaders", "host"))
        let (request, _) = Self.canonical(method, path, query, [("host", host)], Self.unsignedPayload)
        return "\(Self.text(of: query))&X-Amz-Signature=\(self.signature(of: request, stamp))"
    }

    /// A query in the order and with the escapes that are signed.
    package static func text(of query: Pairs) -> String {
        query.map { (PercentCoding.encode($0.name), PercentCoding.encode($0.value)) }
            .sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    static func canonical(
        _ method: String, _ path: String, _ query: Pairs, _ fields: Pairs, _ payload: String
    ) -> (request: String, names: String) {
        let fields = fields.map { ($0.name.lowercased(), Self.folded($0.value)) }.sorted { $0.0 < $1.0 }
        let names = fields.map(\.0).joined(separator: ";")
        let lines = fields.map { "\($0.0):\($0.1)\n" }.joined()
        return ("\(method)\n\(path)\n\(Self.text(of: query))\n\(lines)\n\(names)\n\(payload)", names)
    }

    /// Blanks around a value go, and several in a row are one.
    private static func folded(_ value: String) -> String { value.split(separator: " ").joined(separator: " ") }

    func stringToSign(_ request: String, at time: WallTime) -> String { self.stringToSign(request, Stamp(time)) }

    private func stringToSign(_ request: String, _ stamp: Stamp) -> String {
        "\(Self.algorithm)\n\(stamp.text)\n\(self.scope(stamp))\n\(Hex.encode(Digest.sha256.hash(request)))"
    }

    private func scope(_ stamp: Stamp) -> String { "\(stamp.day)/\(self.region)/\(self.service)/aws4_request" }

    private func signature(of request: String, _ stamp: Stamp) -> String {
        var key = Array("AWS4\(self.keys.secret)".utf8)
        for part in [stamp.day, self.region, self.service, "aws4_request"] {
            key = HMACKey(key, using: .sha256).code(of: Array(part.utf8))
        }
        let words = self.stringToSign(request, stamp)
        return Hex.encode(HMACKey(key, using: .sha256).code(of: Array(words.utf8)))
    }

    /// A moment as signatures have it: `20130524T000000Z`.
    package struct Stamp: Hashable, Sendable {
        package let text: String
        var day: String { String(self.text.prefix(8)) }

        package init(_ time: WallTime) {
            let seconds = max(0, time.seconds)
            let date = CalendarDay(Int(seconds / 86_400))
            let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { Self.digits($0) }.joined()
            self.text = "\(date.year)\(Self.digits(date.month))\(Self.digits(date.day))T\(clock)Z"
        }

        private static func digits(_ number: some BinaryInteger) -> String { number < 10 ? "0\(number)" : "\(number)" }
    }
}
