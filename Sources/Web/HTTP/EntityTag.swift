/// The name of one state of a resource (RFC 9110 §8.8.3).
package struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    /// Weak tags name states that mean the same; strong ones name states that are the same, byte for byte.
    package let isWeak: Bool

    /// Nil when the text does not fit between quotes.
    package init?(_ text: String, isWeak: Bool = false) {
        guard text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
        self.isWeak = isWeak
    }

    package var description: String { (self.isWeak ? "W/\"" : "\"") + self.text + "\"" }

    /// Byte for byte the same.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        !self.isWeak && !other.isWeak && self.text == other.text
    }

    package func matchesWeakly(_ other: EntityTag) -> Bool { self.text == other.text }

    fileprivate static func isAllowed(_ byte: UInt8) -> Bool {
        byte > ASCII.space && byte != ASCII.quote && byte != ASCII.delete
    }
}

/// The value of `If-Match` and `If-None-Match`.
package enum EntityTagList: Hashable, Sendable {
    /// A star: whatever there is.
    case any
    case tags([EntityTag])

    /// Nil when the list is malformed or has more than `limit` tags.
    package init?(_ text: String, limit: Int = 64) {
        let bytes = Array(text.utf8)
        if bytes == [UInt8(ascii: "*")] {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        var index = 0
        while index < bytes.count {
            guard !bytes[index].isBlank, bytes[index] != ASCII.comma else {
                index += 1
                continue
            }
            guard tags.count < limit, let tag = Self.tag(bytes, &index) else { return nil }
            tags.append(tag)
        }
        guard !tags.isEmpty else { return nil }
        self = .tags(tags)
    }

    package func containsStrongly(_ tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesStrongly(tag) }
        }
    }

    package func containsWeakly(_ tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesWeakly(tag) }
        }
    }

    /// One tag, and the comma after it unless the text ends there.
    private static func tag(_ bytes: [UInt8], _ index: inout Int) -> EntityTag? {
        let isWeak = bytes[index...].starts(with: [UInt8(ascii: "W"), ASCII.slash])
        if isWeak { index += 2 }
        guard index < bytes.count, bytes[index] == ASCII.quote else { return nil }
        let start = index + 1
        guard let end = bytes[start...].firstIndex(of: ASCII.quote) else { return nil }
        index = end + 1
        while index < bytes.count, bytes[index].isBlank { index += 1 }
        guard index == bytes.count || bytes[index] == ASCII.comma else { return nil }
        return EntityTag(String(decoding: bytes[start..<end], as: UTF8.self), isWeak: isWeak)
    }
}
