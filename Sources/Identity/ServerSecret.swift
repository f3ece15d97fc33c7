package import System
internal import Bytes
internal import Hashing
package import Secure

/// What this server alone knows. Every key it signs with follows from it.
package struct ServerSecret: Sendable {
    private let bytes: [UInt8]

    package static let fileName = "secret"

    package init(_ text: String) throws(SecretWeakness) {
        let bytes = Array(text.utf8)
        if let weakness = SecretWeakness.found(in: bytes) { throw weakness }
        self.bytes = bytes
    }

    func signingKey(id: String) -> SigningKey { SigningKey(id: id, derivedFrom: self.bytes, for: "token key \(id)") }

    package func key(for purpose: String) -> [UInt8] { HMAC.code(of: "key for \(purpose)", key: self.bytes) }
}

/// The secret's file cannot be used.
package struct SecretFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case system(Errno)
        case weak(SecretWeakness)
        case readableByOthers
        /// What was signed with it is there, and it is not.
        case missing
    }

    package let path: String
    package let reason: Reason

    package var description: String {
        switch self.reason {
        case .system(let words): "the secret in \(self.path): \(words)"
        case .weak(let weakness): "\(self.path): \(weakness)"
        case .missing:
            """
            the secret \(self.path) is missing, although there are data; put it back from a backup. Without it everybody has to \
            sign in anew: then make another one with  umask 077; openssl rand -base64 48 > \(self.path)
            """
        case .readableByOthers: "others may read the secret in \(self.path): chmod 600 it, or better, make a new one"
        }
    }
}

// MARK: - The file

extension ServerSecret {
    /// Reads the secret of a data directory; the first time it makes a random one there, with mode 0600.
    ///
    /// - Parameter isFirst: whether this is the first time.
    package static func ofDirectory(_ folder: String, isFirst: Bool = true) throws(SecretFileError) -> ServerSecret {
        let path = "\(folder)/\(self.fileName)"
        guard isFirst || FileSystem.exists(path) else { throw SecretFileError(path: path, reason: .missing) }
        let text = try self.contents(of: path)
        do throws(SecretWeakness) {
            return try ServerSecret(text)
        } catch {
            throw SecretFileError(path: path, reason: .weak(error))
        }
    }

    private static func contents(of path: String) throws(SecretFileError) -> String {
        let (isOpen, bytes) = try self.catching(path) { () throws(SystemError) in
            if !FileSystem.exists(path) { try self.create(path) }
            let file = try FileHandle(path, for: .reading)
            return (file.status?.isOpenToOthers ?? true, try file.contents(maximum: 4096))
        }
        guard !isOpen else { throw SecretFileError(path: path, reason: .readableByOthers) }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    private static func catching<Value>(
        _ path: String, _ work: () throws(SystemError) -> Value
    ) throws(SecretFileError) -> Value {
        do throws(SystemError) {
            return try work()
        } catch {
            throw SecretFileError(path: path, reason: .system(error.errno))
        }
    }

    /// No reader ever sees half of one, and the first of two to come wins.
    private static func create(_ path: String) throws(SystemError) {
        var random = SecureRandom()
        let text = Array(Base64.encode(random.bytes(48)).utf8) + [UInt8(ascii: "\n")]
        var draft = try FileReplacement(of: path, .owner)
        try draft.file.write(text.span)
        _ = try draft.commitIfAbsent()
    }
}
