/// Names a device that is woken to programs on other servers, for as long as it is registered: 19 hexadecimal digits that
/// nobody can guess.
package struct RegistrationID: Hashable, Sendable {
    package let text: String

    package static let length = 19
    private static let digits = Set("0123456789abcdef".utf8)

    package init?(_ text: String) {
        guard text.utf8.count == Self.length, text.utf8.allSatisfy(Self.digits.contains) else { return nil }
        self.text = text
    }

    package init(using random: inout some RandomNumberGenerator) {
        let digits = (0..<Self.length).map { _ in String(UInt8.random(in: 0..<16, using: &random), radix: 16) }
        self.text = digits.joined()
    }

    package static func fresh() -> RegistrationID {
        var random = SystemRandomNumberGenerator()
        return RegistrationID(using: &random)
    }
}
