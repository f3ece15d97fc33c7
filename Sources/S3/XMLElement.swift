/// One element of what a store says, with what is in it. A small part of XML: no document types, no entities but the five, and bounds on all
/// there is; whatever else comes is refused.
package struct XMLElement: Hashable, Sendable {
    package let name: String
    package private(set) var text = ""
    package private(set) var children: [XMLElement] = []

    package enum Failure: Error, Hashable, Sendable {
        case malformed
        /// More of it than a store has to say.
        case tooMuch
    }

    enum Limit {
        static let bytes = 4 << 20
        static let depth = 16
        static let elements = 50_000
    }

    private init(name: String) { self.name = name }

    package func first(_ name: String) -> XMLElement? { self.children.first { $0.name == name } }
    package func text(of name: String) -> String? { self.first(name)?.text }
    package func all(_ name: String) -> [XMLElement] { self.children.filter { $0.name == name } }

    package init(parsing bytes: [UInt8]) throws(Failure) {
        guard bytes.count <= Limit.bytes else { throw .tooMuch }
        var reader = Reader(bytes)
        var open: [XMLElement] = []
        var count = 0
        while let piece = try reader.next() {
            switch piece {
            case .text(let text):
                guard let last = open.indices.last else { throw .malformed }
                open[last].text += text
            case .begin(let name):
                count += 1
                guard open.count < Limit.depth, count <= Limit.elements else { throw .tooMuch }
                open.append(XMLElement(name: name))
            case .end(let name):
                guard let element = open.popLast(), name == nil || element.name == name else { throw .malformed }
                guard let last = open.indices.last else {
                    guard try reader.isAtEnd() else { throw .malformed }
                    self = element
                    return
                }
                open[last].children.append(element)
            }
        }
        throw .malformed
    }

    private enum Piece {
        case begin(String)
        /// Without a name for an element that ends where it begins.
        case end(String?)
        case text(String)
    }

    private struct Reader {
        private let bytes: [UInt8]
        private var index = 0
        private var endsAtOnce = false

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { self.index = 3 }
        }

        mutating func next() throws(Failure) -> Piece? {
            if self.endsAtOnce {
                self.endsAtOnce = false
                return .end(nil)
            }
            while self.index < self.bytes.count {
                guard self.bytes[self.index] == UInt8(ascii: "<") else {
                    let text = try self.readText()
                    if !text.isEmpty { return .text(text) }
                    continue
                }
                if try self.skipAside() { continue }
                return try self.readTag()
            }
            return nil
        }

        /// Nothing but blanks may follow.
        mutating func isAtEnd() throws(Failure) -> Bool {
            self.bytes[self.index...].allSatisfy { [9, 10, 13, 32].contains($0) }
        }

        /// A declaration or a comment.
        private mutating func skipAside() throws(Failure) -> Bool {
            for (start, end) in [("<?", "?>"), ("<!--", "-->")] where self.bytes[self.index...].starts(with: start.utf8)
            {
                let end = Array(end.utf8)
                self.index += start.utf8.count
                while self.index + end.count <= self.bytes.count {
                    if self.bytes[self.index...].starts(with: end) {
                        self.index += end.count
                        return true
                    }
                    self.index += 1
                }
                throw .malformed
            }
            return false
        }

        private mutating func readTag() throws(Failure) -> Piece {
            guard let close = self.bytes[self.index...].firstIndex(of: UInt8(ascii: ">")) else { throw .malformed }
            var inside = self.bytes[(self.index + 1)..<close]
            self.index = close + 1
            if inside.first == UInt8(ascii: "/") { return .end(try Self.name(inside.dropFirst())) }
            self.endsAtOnce = inside.last == UInt8(ascii: "/")
            if self.endsAtOnce { inside.removeLast() }
            return .begin(try Self.name(inside))
        }

        /// Without the attributes behind it, which say nothing to us.
        private static func name(_ inside: ArraySlice<UInt8>) throws(Failure) -> String {
            let name = inside.prefix { ![9, 10, 13, 32].contains($0) }
            let isGood = (1...128).contains(name.count) && name.allSatisfy { Self.isNameByte($0) }
            guard isGood else { throw .malformed }
            return String(decoding: name, as: UTF8.self)
        }

        private static func isNameByte(_ byte: UInt8) -> Bool {
            switch byte {
            case 48...58, 65...90, 97...122, 45, 46, 95, 128...: true
            default: false
            }
        }

        /// Between tags; blanks alone are none.
        private mutating func readText() throws(Failure) -> String {
            let end = self.bytes[self.index...].firstIndex(of: UInt8(ascii: "<")) ?? self.bytes.endIndex
            let raw = self.bytes[self.index..<end]
            self.index = end
            if raw.allSatisfy({ [9, 10, 13, 32].contains($0) }) { return "" }
            guard raw.contains(UInt8(ascii: "&")) else { return String(decoding: raw, as: UTF8.self) }
            return try Self.unescaped(raw)
        }

        private static func unescaped(_ raw: ArraySlice<UInt8>) throws(Failure) -> String {
            var text: [UInt8] = []
            var rest = raw
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "&") else {
                    text.append(byte)
                    continue
                }
                let name = rest.prefix(10).prefix { $0 != UInt8(ascii: ";") }
                guard rest.dropFirst(name.count).first == UInt8(ascii: ";") else { throw .malformed }
                rest = rest.dropFirst(name.count + 1)
                text += try Self.value(ofEntity: String(decoding: name, as: UTF8.self)).utf8
            }
            return String(decoding: text, as: UTF8.self)
        }

        private static func value(ofEntity name: String) throws(Failure) -> String {
            switch name {
            case "amp": return "&"
            case "lt": return "<"
            case "gt": return ">"
            case "quot": return "\""
            case "apos": return "'"
            default: break
            }
            guard name.hasPrefix("#") else { throw .malformed }
            let digits = name.dropFirst()
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let scalar = number.flatMap(Unicode.Scalar.init), scalar.value > 0 else { throw .malformed }
            return String(Character(scalar))
        }
    }
}
