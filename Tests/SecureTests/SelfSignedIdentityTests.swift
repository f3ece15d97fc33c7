import COpenSSL
import TestSupport
import Testing

@testable import Secure

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the command-line tool prints.
func openssl(_ arguments: String) throws -> String {
    let pipe = try #require(popen("openssl \(arguments) 2>&1", "r"))
    defer { pclose(pipe) }
    var output: [UInt8] = []
    while case let byte = getc(pipe), byte != EOF { output.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: output, as: UTF8.self)
}

extension SelfSignedIdentity {
    /// Writes the certificate and its key, as PEM.
    func write(to folder: TemporaryFolder, as name: String) throws -> (certificate: String, key: String) {
        let certificate = try folder.write("\(name).crt", "")
        let key = try folder.write("\(name).key", "")
        let files = try (#require(BIO_new_file(certificate, "w")), #require(BIO_new_file(key, "w")))
        defer {
            BIO_free(files.0)
            BIO_free(files.1)
        }
        try #require(PEM_write_bio_X509(files.0, self.certificate) == 1)
        try #require(PEM_write_bio_PrivateKey(files.1, self.key, nil, nil, 0, nil, nil) == 1)
        return (certificate, key)
    }
}

@Suite("A self-signed identity")
struct SelfSignedIdentityTests {
    @Test("is good for the names it was given, and says so to others")
    func names() throws {
        let folder = try TemporaryFolder()
        let identity = try SelfSignedIdentity(names: ["localhost", "127.0.0.1", "::1", "parley.example"])
        let (file, _) = try identity.write(to: folder, as: "a")
        let text = try openssl("x509 -in \(file) -noout -subject -ext subjectAltName")
        #expect(text.contains("CN = localhost") || text.contains("CN=localhost"))
        #expect(text.contains("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:parley.example"))
    }

    @Test("is good from an hour ago for thirteen months")
    func lifetime() throws {
        let folder = try TemporaryFolder()
        let (file, _) = try SelfSignedIdentity(names: ["a"]).write(to: folder, as: "a")
        #expect(try openssl("x509 -in \(file) -noout -checkend 34000000").contains("will not expire"))
        #expect(try openssl("x509 -in \(file) -noout -checkend 34400000").contains("will expire"))
        #expect(try openssl("verify -CAfile \(file) \(file)").contains("OK"))
    }

    @Test("has the fingerprint that others see")
    func fingerprint() throws {
        let folder = try TemporaryFolder()
        let identity = try SelfSignedIdentity(names: ["a"])
        let (file, _) = try identity.write(to: folder, as: "a")
        let seen = try openssl("x509 -in \(file) -noout -sha256 -fingerprint")
        #expect(seen.split(separator: "=").last.map(String.init) == identity.fingerprint + "\n")
        #expect(identity.fingerprint.count == 95)
    }

    @Test("is another one each time")
    func fresh() throws {
        let prints = try (0..<10).map { _ in try SelfSignedIdentity(names: ["a"]).fingerprint }
        #expect(Set(prints).count == 10)
    }

    @Test("cannot be made for a name that would be two", arguments: ["a,b", "a,DNS:b"])
    func oddNames(name: String) throws {
        guard let identity = try? SelfSignedIdentity(names: [name]) else { return }
        let folder = try TemporaryFolder()
        let (file, _) = try identity.write(to: folder, as: "a")
        #expect(try !openssl("x509 -in \(file) -noout -ext subjectAltName").contains("DNS:b"))
    }
}

@Suite("A TLS context")
struct TLSContextTests {
    private let folder: TemporaryFolder
    private let one: (certificate: String, key: String)
    private let other: (certificate: String, key: String)

    init() throws {
        self.folder = try TemporaryFolder()
        self.one = try SelfSignedIdentity(names: ["one"]).write(to: self.folder, as: "one")
        self.other = try SelfSignedIdentity(names: ["other"]).write(to: self.folder, as: "other")
    }

    private func error(_ certificate: String, _ key: String) throws -> String {
        do throws(SecureError) {
            _ = try TLSContext(certificateFile: certificate, keyFile: key)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test("comes from two files")
    func files() throws {
        #expect(try self.error(self.one.certificate, self.one.key) == "none")
    }

    @Test("names the file that is missing, is something else, or belongs to another")
    func errors() throws {
        let text = try self.folder.write("text.pem", "hello\n")
        let missing = "\(self.folder.path)/missing.pem"
        for file in [text, missing, self.one.key] {
            #expect(try self.error(file, self.one.key).hasPrefix("reading the certificate in \(file): "))
        }
        for file in [text, missing, self.one.certificate] {
            #expect(try self.error(self.one.certificate, file).hasPrefix("reading the private key in \(file): "))
        }
        let mismatch = try self.error(self.one.certificate, self.other.key)
        #expect(mismatch.contains(self.other.key) && mismatch.contains("mismatch"))
    }
}

@Suite("A TLS session")
struct TLSSessionTests {
    private static func carry(from one: TLSSession, to other: TLSSession) {
        one.takeCiphertext { other.receive($0) }
    }

    private static func read(_ session: TLSSession) throws -> String {
        var buffer = [UInt8](repeating: 0, count: 1000)
        var span = buffer.mutableSpan
        switch try session.read(into: &span) {
        case .bytes(let count): return String(decoding: buffer[..<count], as: UTF8.self)
        case .later: return "later"
        case .end: return "end"
        }
    }

    private static func pair(verifying: Bool = false) throws -> (server: TLSSession, client: TLSSession) {
        let server = try TLSSession(TLSContext(SelfSignedIdentity(names: ["localhost"])))
        let client = try TLSSession(TLSContext(clientVerifying: verifying), role: .client(name: "localhost"))
        return (server, client)
    }

    @Test("needs no network: two of them shake hands, talk and say goodbye")
    func talk() throws {
        let (server, client) = try Self.pair()
        try client.start()
        while !client.isEstablished || !server.isEstablished {
            Self.carry(from: client, to: server)
            _ = try Self.read(server)
            Self.carry(from: server, to: client)
            try client.start()
        }
        try client.write(Array("hello".utf8).span)
        Self.carry(from: client, to: server)
        #expect(try Self.read(server) == "hello")
        #expect(try Self.read(server) == "later")
        try server.write(Array("and you".utf8).span)
        server.close()
        Self.carry(from: server, to: client)
        #expect(try Self.read(client) == "and you")
        #expect(try Self.read(client) == "end")
    }

    @Test("is refused by a client that trusts only the authorities")
    func untrusted() throws {
        let (server, client) = try Self.pair(verifying: true)
        try client.start()
        Self.carry(from: client, to: server)
        _ = try Self.read(server)
        Self.carry(from: server, to: client)
        let error = #expect(throws: SecureError.self) { try client.start() }
        #expect(error?.description.contains("certificate verify failed") == true)
    }

    @Test("fails over a changed byte")
    func tampered() throws {
        let (server, client) = try Self.pair()
        try client.start()
        while !client.isEstablished || !server.isEstablished {
            Self.carry(from: client, to: server)
            _ = try Self.read(server)
            Self.carry(from: server, to: client)
            try client.start()
        }
        try client.write(Array("hello".utf8).span)
        var bytes: [UInt8] = []
        client.takeCiphertext { ciphertext in ciphertext.withUnsafeBufferPointer { bytes += $0 } }
        bytes[bytes.count - 1] ^= 1
        server.receive(bytes.span)
        #expect(throws: SecureError.self) { try Self.read(server) }
    }
}
