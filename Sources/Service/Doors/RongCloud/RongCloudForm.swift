internal import Bytes

/// The fields of a request's body, `a=1&b=2&b=3`.
///
/// Clients escape as they like: some everything, as a browser does, some the message alone, so that names and values have
/// spaces, quotes and braces in them. What cannot be an escape is taken as it is.
package struct RongCloudForm: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package let items: [Item]

    static let maximumItems = 4096

    init(items: [Item]) { self.items = items }

    /// Nil for what is no UTF-8, and for more fields than there may be.
    package init?(_ body: [UInt8]) {
        let plusIsSpace = body.allSatisfy(Self.isEscaped)
        var items: [Item] = []
        for pair in body.split(separator: UInt8(ascii: "&")) {
            guard items.count < Self.maximumItems else { return nil }
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.text(parts[0], plusIsSpace), let value = Self.text(parts.last ?? [], plusIsSpace)
            else { return nil }
            items.append(Item(name: name, value: parts.count == 2 ? value : ""))
        }
        self.items = items
    }

    /// Whether a byte may stand in a body of which everything is escaped (WHATWG URL §5.2).
    private static func isEscaped(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "%&=+-_.*~!'()".utf8.contains(byte)
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>, _ plusIsSpace: Bool) -> String? {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var place = bytes.startIndex
        while place < bytes.endIndex {
            let byte = bytes[place]
            if byte == UInt8(ascii: "%"), place + 2 < bytes.endIndex, let high = Self.digit(bytes[place + 1]),
                let low = Self.digit(bytes[place + 2])
            {
                out.append(high << 4 | low)
                place += 3
                continue
            }
            out.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            place += 1
        }
        return String(utf8: out.span)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }

    // MARK: - Values

    /// The first of this name that is not empty.
    subscript(name: String) -> String? { self.items.first { $0.name == name && !$0.value.isEmpty }?.value }

    func values(of name: String) -> [String] {
        self.items.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
    }

    /// `group[10001]=title`: what stands in the brackets, and the value.
    func members(of name: String) -> [(key: String, value: String)] {
        self.items.compactMap { item in
            guard item.name.hasPrefix("\(name)["), item.name.hasSuffix("]") else { return nil }
            return (String(item.name.dropFirst(name.utf8.count + 1).dropLast()), item.value)
        }
    }
}
