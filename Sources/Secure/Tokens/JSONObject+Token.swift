internal import JSON

/// A token's header or claims: read strictly, and no deeper than what others put into their claims.
extension JSONObject {
    @_lifetime(copy bytes)
    init(token bytes: Span<UInt8>) throws(TokenRefusal) {
        do throws(JSONObjectError) {
            try self.init(bytes, Rules(depth: 8, isStrict: true))
        } catch {
            if case .duplicate = error { throw .duplicatedMember }
            throw .malformed
        }
    }

    func claim<Value>(_ name: String, _ type: JSONType<Value>) throws(TokenRefusal) -> Value? {
        guard let found = self.value(name) else { return nil }
        guard let value = type.read(self.reader, found) else { throw .malformed }
        return value
    }
}

extension JSONType<Int64> {
    /// A fraction of a second is allowed (RFC 7519 §2) and left away. Nothing lies behind the year 9999.
    static var seconds: JSONType {
        JSONType { reader, value in
            guard value.kind == .number else { return nil }
            let parts = reader.raw(value).split(separator: UInt8(ascii: "."), maxSplits: 1)
            guard parts.allSatisfy({ $0.allSatisfy { (48...57).contains($0) } }),
                let seconds = parts.first.flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }),
                seconds <= 253_402_300_799
            else { return nil }
            return seconds
        }
    }
}
