internal import Bytes
internal import Hashing
package import Secure

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

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
        case system(String)
        case weak(SecretWeakness)
        case readableByOthers
    }

    package let path: String
    package let reason: Reason

    package var description: String {
        switch self.reason {
        case .system(let words): "the secret in \(self.path): \(words)"
        case .weak(let weakness): "\(self.path): \(weakness)"
        case .readableByOthers: "others may read the secret in \(self.path): chmod 600 it, or better, make a new one"
        }
    }
}

// MARK: - The file

extension ServerSecret {
    /// Reads the secret of a data directory; the first time it makes a random one there, with mode 0600.
    package static func ofDirectory(_ folder: String) throws(SecretFileError) -> ServerSecret {
        let path = "\(folder)/\(self.fileName)"
        if unsafe access(path, F_OK) != 0 { try self.create(path) }
        let text = try self.contents(of: path)
        do throws(SecretWeakness) {
            return try ServerSecret(text)
        } catch {
            throw SecretFileError(path: path, reason: .weak(error))
        }
    }

    /// Written aside and then linked, so that nobody ever reads half of one and the first of two to come wins.
    private static func create(_ path: String) throws(SecretFileError) {
        var random = SecureRandom()
        let text = Array(Base64.encode(random.bytes(48)).utf8) + [UInt8(ascii: "\n")]
        let draft = "\(path).\(Hex.encode(random.bytes(8)))"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw self.failure(path) }
        defer {
            close(descriptor)
            unsafe unlink(draft)
        }
        guard unsafe write(descriptor, text, text.count) == text.count, fsync(descriptor) == 0,
            unsafe link(draft, path) == 0 || errno == EEXIST
        else { throw self.failure(path) }
    }

    private static func contents(of path: String) throws(SecretFileError) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw self.failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw self.failure(path) }
        guard status.st_mode & 0o077 == 0 else { throw SecretFileError(path: path, reason: .readableByOthers) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw self.failure(path) }
        let text = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return String(decoding: text, as: UTF8.self)
    }

    private static func failure(_ path: String) -> SecretFileError {
        SecretFileError(path: path, reason: .system(unsafe String(cString: strerror(errno))))
    }
}
