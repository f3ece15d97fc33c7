/// What a client can unpack (RFC 9110 §12.5.3).
package enum ContentCoding {
    /// Whether the client said that it takes gzip. Who says nothing gets things as they are.
    package static func acceptsGzip(_ fields: HTTPFields) -> Bool {
        let field = fields.values(of: .acceptEncoding).joined(separator: ",")
        guard let items = HTTPListItem.parse(field) else { return false }
        let named = items.first { ["gzip", "x-gzip"].contains($0.name.lowercased()) }
        guard let item = named ?? items.first(where: { $0.name == "*" }) else { return false }
        return self.weight(item).map { $0 > 0 } ?? false
    }

    /// The weight in thousandths; nil when it is malformed.
    static func weight(_ item: HTTPListItem) -> Int? {
        guard let parameter = item.parameters.first(where: { $0.name.lowercased() == "q" }) else { return 1000 }
        guard let value = parameter.value else { return nil }
        let digits = Array(value.utf8)
        guard let first = digits.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1") else { return nil }
        let fraction = digits.dropFirst(2)
        guard digits.count <= 5, digits.count == 1 || digits[1] == UInt8(ascii: "."), fraction.allSatisfy(\.isDigit)
        else { return nil }
        var weight = Int(first - UInt8(ascii: "0"))
        for index in 2..<5 {
            weight = weight * 10 + (index < digits.count ? Int(digits[index] - UInt8(ascii: "0")) : 0)
        }
        return weight <= 1000 ? weight : nil
    }
}
