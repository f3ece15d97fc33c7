/// Four decimal numbers with dots between them.
enum IPv4Text {
    static func parse(_ text: some Collection<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard let octet = self.octet(part) else { return nil }
            address = address << 8 | UInt32(octet)
        }
        return address
    }

    static func write(_ address: UInt32) -> String {
        stride(from: 24, through: 0, by: -8).map { String(address >> UInt32($0) & 255) }.joined(separator: ".")
    }

    /// A leading zero is refused: some read it as octal, and two readings of one address are a hole.
    private static func octet(_ digits: some Collection<UInt8>) -> UInt8? {
        guard (1...3).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        guard digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self))
    }
}

/// Eight groups of hexadecimal digits with colons between them.
enum IPv6Text {
    static func parse(_ text: some StringProtocol) -> [UInt16]? {
        guard text.utf8.count <= 45 else { return nil }
        let halves = self.splitAtDoubleColon(Array(text.utf8))
        guard let front = self.groups(halves.front, endsAddress: halves.back == nil) else { return nil }
        guard let backText = halves.back else { return front.count == 8 ? front : nil }
        guard let back = self.groups(backText, endsAddress: true), front.count + back.count < 8 else { return nil }
        return front + [UInt16](repeating: 0, count: 8 - front.count - back.count) + back
    }

    static func write(_ groups: [UInt16]) -> String {
        guard let zeros = self.longestRunOfZeros(groups) else { return self.join(groups[...]) }
        return "\(self.join(groups[..<zeros.lowerBound]))::\(self.join(groups[zeros.upperBound...]))"
    }

    private static func join(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    private static func splitAtDoubleColon(_ text: [UInt8]) -> (front: [UInt8], back: [UInt8]?) {
        let colon = UInt8(ascii: ":")
        guard let place = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) else {
            return (text, nil)
        }
        return (Array(text[..<place]), Array(text[(place + 2)...]))
    }

    /// Nothing is no group at all; the last part of the address may be written as IPv4 and counts for two.
    private static func groups(_ text: [UInt8], endsAddress: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if let group = self.group(part) {
                groups.append(group)
            } else if endsAddress, index == parts.count - 1, let tail = IPv4Text.parse(part) {
                groups += [UInt16(truncatingIfNeeded: tail >> 16), UInt16(truncatingIfNeeded: tail)]
            } else {
                return nil
            }
        }
        return groups.count <= 8 ? groups : nil
    }

    private static func group(_ digits: ArraySlice<UInt8>) -> UInt16? {
        // The standard library would read a sign as well.
        guard (1...4).contains(digits.count), let first = digits.first, !"+-".utf8.contains(first) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// Two or more zeros in a row; a single one is written out (RFC 5952 §4.2.2).
    private static func longestRunOfZeros(_ groups: [UInt16]) -> Range<Int>? {
        var best = 0..<0
        var start = 0
        while start < groups.count {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start > best.count { best = start..<end }
            start = end + 1
        }
        return best.count > 1 ? best : nil
    }
}
