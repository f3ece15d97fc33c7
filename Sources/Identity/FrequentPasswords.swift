internal import Assets

/// The passwords that are guessed first: three thousand of at least eight characters that many people chose.
enum FrequentPasswords {
    private static let known = Set(
        Assets.frequentPasswords.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })

    static func contains(_ password: String) -> Bool { self.known.contains(password.lowercased()) }
}
