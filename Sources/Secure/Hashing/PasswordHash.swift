internal import Bytes
internal import COpenSSL
internal import Hashing

/// What is kept instead of a password: `$scrypt$ln=15,r=8,p=3$salt$hash`, as other programs write it too.
///
/// Making and checking one takes a quarter of a second on purpose. **Never on a loop**: only on a helper thread
/// (`Reactor.offload`).
package struct PasswordHash: Hashable, Sendable {
    package let cost: PasswordCost
    private let salt: [UInt8]
    private let key: [UInt8]

    private static let saltLength = 16
    private static let keyLength = 32

    /// - Parameter password: compared byte for byte; two spellings of one character are two passwords.
    ///   Zero bytes at its end do not count, because HMAC fills up short keys with them; who takes passwords from
    ///   people refuses them.
    package init(hashing password: String, cost: PasswordCost = .usual) throws(SecureError) {
        var random = SecureRandom()
        try self.init(hashing: password, cost: cost, salt: random.bytes(Self.saltLength), keyLength: Self.keyLength)
    }

    /// With a salt of the caller's: for test vectors.
    package init(hashing password: String, cost: PasswordCost, salt: [UInt8], keyLength: Int) throws(SecureError) {
        self.cost = cost
        self.salt = salt
        self.key = try Self.derive(password, cost, salt, keyLength)
    }

    package func matches(_ password: String) throws(SecureError) -> Bool {
        let derived = try Self.derive(password, self.cost, self.salt, self.key.count)
        return ConstantTime.areEqual(derived, self.key)
    }

    /// Whether it was made with another cost than is wanted today, so that the next good login should renew it.
    package func needsRenewal(for cost: PasswordCost = .usual) -> Bool { self.cost != cost }

    private static func derive(
        _ password: String, _ cost: PasswordCost, _ salt: [UInt8], _ keyLength: Int
    ) throws(SecureError) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: keyLength)
        let letters = Array(password.utf8).map { CChar(bitPattern: $0) }
        // OpenSSL counts a little working space on top of the table itself.
        let memory = UInt64(cost.memory + 1 << 20)
        let code = unsafe EVP_PBE_scrypt(
            letters, letters.count, salt, salt.count, 1 << UInt64(cost.logarithm), UInt64(cost.blockSize),
            UInt64(cost.parallelism), memory, &key, key.count)
        guard code == 1 else { throw SecureError("hashing a password") }
        return key
    }
}

// MARK: - The stored form

extension PasswordHash {
    package var text: String {
        let numbers = "ln=\(self.cost.logarithm),r=\(self.cost.blockSize),p=\(self.cost.parallelism)"
        return "$scrypt$\(numbers)$\(Self.encode(self.salt))$\(Self.encode(self.key))"
    }

    package init?(_ text: String) {
        guard text.utf8.count <= 256 else { return nil }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt",
            let cost = PasswordCost(stored: parts[2]),
            let salt = Self.decode(parts[3]), (1...64).contains(salt.count),
            let key = Self.decode(parts[4]), (16...64).contains(key.count)
        else { return nil }
        self.cost = cost
        self.salt = salt
        self.key = key
    }

    /// The form of crypt strings: the standard alphabet without its padding.
    private static func encode(_ bytes: [UInt8]) -> String {
        String(Base64.encode(bytes).prefix { $0 != "=" })
    }

    private static func decode(_ text: Substring) -> [UInt8]? {
        guard !text.utf8.contains(UInt8(ascii: "=")) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return try? Base64.decode(text + padding)
    }
}

extension PasswordCost {
    fileprivate init?(stored text: Substring) {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 3, let logarithm = Self.number("ln=", in: fields[0]),
            let blockSize = Self.number("r=", in: fields[1]), let parallelism = Self.number("p=", in: fields[2])
        else { return nil }
        self.init(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
    }

    private static func number(_ prefix: String, in field: Substring) -> Int? {
        guard field.hasPrefix(prefix), case let digits = field.dropFirst(prefix.count), digits.utf8.count <= 2,
            digits.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return Int(digits)
    }
}
