/// The target of a request taken apart (RFC 9112 §3.2).
struct RequestTarget {
    /// Decoded once, without `.`, `..` and empty segments in between, so that it can never lead out of a folder.
    /// `*` for `OPTIONS *`.
    let path: String
    /// As it came, without the question mark.
    let query: String?
    /// Host and port, when the target was a whole URI.
    let authority: String?

    init(_ bytes: Span<UInt8>, in range: Range<Int>, method: HTTPMethod) throws(HTTPParseError) {
        let first = range.lowerBound
        guard !range.isEmpty else { throw HTTPParseError(.invalidTarget, at: first) }
        if bytes[first] == ASCII.slash {
            self.authority = nil
            (self.path, self.query) = try Self.pathAndQuery(bytes, range)
        } else if bytes[first] == UInt8(ascii: "*"), range.count == 1, method == .options {
            (self.path, self.query, self.authority) = ("*", nil, nil)
        } else {
            let authority = try Self.authority(bytes, range)
            self.authority = bytes.text(in: authority)
            (self.path, self.query) = try Self.pathAndQuery(bytes, authority.upperBound..<range.upperBound)
        }
    }

    /// Where the host and port of an absolute target lie.
    private static func authority(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPParseError) -> Range<Int> {
        for scheme: StaticString in ["http://", "https://"] {
            let start = range.lowerBound + scheme.utf8CodeUnitCount
            guard start <= range.upperBound, bytes.matches(scheme, in: range.lowerBound..<start, ignoringCase: true)
            else { continue }
            var end = start
            while end < range.upperBound, bytes[end] != ASCII.slash, bytes[end] != UInt8(ascii: "?") { end += 1 }
            guard HTTPHost.isValid(bytes, in: start..<end) else { throw HTTPParseError(.invalidHost, at: start) }
            return start..<end
        }
        throw HTTPParseError(.invalidTarget, at: range.lowerBound)
    }

    private static func pathAndQuery(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(HTTPParseError) -> (path: String, query: String?) {
        var mark = range.upperBound
        for index in range.reversed() {
            // What is no ASCII must come escaped, and a fragment is never sent.
            guard bytes[index] > ASCII.space, bytes[index] < ASCII.delete, bytes[index] != UInt8(ascii: "#") else {
                throw HTTPParseError(.invalidTarget, at: index)
            }
            if bytes[index] == UInt8(ascii: "?") { mark = index }
        }
        let path = try Self.path(bytes, range.lowerBound..<mark)
        return (path, mark < range.upperBound ? bytes.text(in: (mark + 1)..<range.upperBound) : nil)
    }

    private static func path(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPParseError) -> String {
        guard !Self.isPlain(bytes, range) else { return bytes.text(in: range) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        guard PercentCoding.decode(bytes, in: range, plusIsSpace: false, into: &decoded),
            !decoded.contains(where: \.isControl)
        else { throw HTTPParseError(.invalidTarget, at: range.lowerBound) }
        // Dots are looked at after decoding, so that %2e%2e and ..%2f mean what they turn into.
        guard let resolved = Self.withoutDots(decoded) else {
            throw HTTPParseError(.escapingPath, at: range.lowerBound)
        }
        guard let path = String(validating: resolved, as: UTF8.self) else {
            throw HTTPParseError(.invalidTarget, at: range.lowerBound)
        }
        return path
    }

    /// Whether a path, checked to be visible ASCII, already is what decoding and resolving would make of it.
    private static func isPlain(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var previous: UInt8 = 0
        for index in range {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") { return false }
            if previous == ASCII.slash, byte == ASCII.slash || byte == UInt8(ascii: ".") { return false }
            previous = byte
        }
        return !range.isEmpty
    }

    /// Resolves `.`, `..` and empty segments. Nil when that leads above the root.
    private static func withoutDots(_ path: [UInt8]) -> [UInt8]? {
        var out: [UInt8] = [ASCII.slash]
        out.reserveCapacity(path.count)
        for (index, segment) in path.split(separator: ASCII.slash, omittingEmptySubsequences: false).enumerated() {
            switch segment {
            case _ where segment.isEmpty: if index > 0, out.last != ASCII.slash { out.append(ASCII.slash) }
            case [UInt8(ascii: ".")]: Self.endFolder(&out)
            case [UInt8(ascii: "."), UInt8(ascii: ".")]: guard Self.leaveFolder(&out) else { return nil }
            default:
                Self.endFolder(&out)
                out.append(contentsOf: segment)
            }
        }
        return out
    }

    private static func endFolder(_ path: inout [UInt8]) {
        if path.last != ASCII.slash { path.append(ASCII.slash) }
    }

    private static func leaveFolder(_ path: inout [UInt8]) -> Bool {
        if path.count > 1, path.last == ASCII.slash { path.removeLast() }
        guard path.count > 1, let slash = path.lastIndex(of: ASCII.slash) else { return false }
        path.removeSubrange((slash + 1)...)
        return true
    }
}
