/// The name and the password of one side of one session (RFC 8445 §5.3).
package struct ICECredentials: Hashable, Sendable {
    package let usernameFragment: String
    package let password: String

    /// Nil unless both are made of the characters, and are as long, as RFC 8839 §5.4 wants them.
    package init?(usernameFragment: String, password: String) {
        guard Self.isFragment(usernameFragment), (22...256).contains(password.utf8.count),
            password.utf8.allSatisfy(\.isICECharacter)
        else { return nil }
        self.usernameFragment = usernameFragment
        self.password = password
    }

    /// 48 and 144 unpredictable bits.
    package init(using random: inout some RandomNumberGenerator) {
        self.usernameFragment = Self.letters(8, &random)
        self.password = Self.letters(24, &random)
    }

    static func isFragment(_ text: some StringProtocol) -> Bool {
        (4...256).contains(text.utf8.count) && text.utf8.allSatisfy(\.isICECharacter)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func letters(_ count: Int, _ random: inout some RandomNumberGenerator) -> String {
        var text: [UInt8] = []
        var bits: UInt64 = 0
        for index in 0..<count {
            // Ten letters of six bits from each number that is drawn.
            if index.isMultiple(of: 10) { bits = random.next() }
            text.append(self.alphabet[Int(bits & 63)])
            bits >>= 6
        }
        return String(decoding: text, as: UTF8.self)
    }
}
