internal import JSON

/// The members of a token's header or claims, read strictly: one JSON object in which no name stands twice.
struct TokenMembers {
    enum Value: Hashable {
        case text(String)
        case texts([String])
        /// A number that may be a time.
        case seconds(Int64)
        case other
    }

    private(set) var values: [String: Value] = [:]

    /// Deep enough for what others put into their claims.
    private static let depth = 8

    init(parsing bytes: [UInt8]) throws(TokenRefusal) {
        let reader = JSONReader(bytes.span)
        guard let object = try? reader.document(depth: Self.depth), object.kind == .object else {
            throw .malformed
        }
        var members = reader.members(of: object)
        while let member = members.next() {
            guard let name = reader.text(at: member.key) else { throw .malformed }
            guard self.values.updateValue(Self.value(member.value, in: reader), forKey: name) == nil else {
                throw .duplicatedMember
            }
        }
    }

    private static func value(_ value: JSONValue, in reader: borrowing JSONReader) -> Value {
        switch value.kind {
        case .string: reader.string(value).map(Value.text) ?? .other
        case .array: self.texts(value, in: reader).map(Value.texts) ?? .other
        case .number: self.seconds(reader.raw(value)).map(Value.seconds) ?? .other
        case .object, .bool, .null: .other
        }
    }

    private static func texts(_ array: JSONValue, in reader: borrowing JSONReader) -> [String]? {
        var texts: [String] = []
        var elements = reader.elements(of: array)
        while let element = elements.next() {
            guard let text = reader.string(element) else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// A fraction of a second is allowed (RFC 7519 §2) and left away. Nothing lies behind the year 9999.
    private static func seconds(_ number: [UInt8]) -> Int64? {
        let parts = number.split(separator: UInt8(ascii: "."), maxSplits: 1)
        guard parts.allSatisfy({ $0.allSatisfy { (48...57).contains($0) } }),
            let seconds = parts.first.flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }),
            seconds <= 253_402_300_799
        else { return nil }
        return seconds
    }
}

extension TokenMembers.Value {
    func text() throws(TokenRefusal) -> String {
        guard case .text(let text) = self else { throw .malformed }
        return text
    }

    /// `aud` may be one text or an array of them.
    func texts() throws(TokenRefusal) -> [String] {
        switch self {
        case .text(let text): [text]
        case .texts(let texts): texts
        case .seconds, .other: throw .malformed
        }
    }

    func seconds() throws(TokenRefusal) -> Int64 {
        guard case .seconds(let seconds) = self else { throw .malformed }
        return seconds
    }
}
