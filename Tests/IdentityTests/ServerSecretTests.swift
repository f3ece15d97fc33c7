import Identity
import Secure
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("The server's secret")
struct ServerSecretTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/parley-secret-XXXXXX\0".utf8CString)
        let path = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer {
            unlink("\(path)/secret")
            #expect(rmdir(path) == 0, "something is left behind")
        }
        try body(path)
    }

    private func make(_ text: String, at path: String, mode: mode_t = 0o600) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
        let bytes = Array(text.utf8)
        #expect(write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }

    private func contents(of path: String) -> String {
        let file = open(path, O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1000)
        let count = read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    @Test("is made at the first start, random and for its own user only, and found again")
    func made() throws {
        try self.withFolder { folder in
            _ = try ServerSecret.ofDirectory(folder)
            var status = stat()
            #expect(stat("\(folder)/secret", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            let first = self.contents(of: "\(folder)/secret")
            #expect(first.utf8.count == 65)
            _ = try ServerSecret.ofDirectory(folder)
            #expect(self.contents(of: "\(folder)/secret") == first)
        }
    }

    @Test("differs from server to server")
    func differs() throws {
        var secrets: Set<String> = []
        for _ in 0..<4 {
            try self.withFolder { folder in
                _ = try ServerSecret.ofDirectory(folder)
                secrets.insert(self.contents(of: "\(folder)/secret"))
            }
        }
        #expect(secrets.count == 4)
    }

    @Test(
        "is refused when it is weak, with the file's name in the words",
        arguments: ["", "\n", "secret", "changeme-changeme-changeme-changeme", String(repeating: "a", count: 64)])
    func weak(text: String) throws {
        try self.withFolder { folder in
            self.make(text, at: "\(folder)/secret")
            let error = #expect(throws: SecretFileError.self) { try ServerSecret.ofDirectory(folder) }
            #expect(error?.description.contains("\(folder)/secret") == true)
            guard case .weak = error?.reason else { return #expect(Bool(false), "\(error as Any)") }
        }
    }

    @Test("is refused when others may read it")
    func readable() throws {
        try self.withFolder { folder in
            self.make(World.secret, at: "\(folder)/secret", mode: 0o644)
            let error = #expect(throws: SecretFileError.self) { try ServerSecret.ofDirectory(folder) }
            #expect(error?.reason == .readableByOthers)
        }
    }

    @Test("needs a folder to live in")
    func noFolder() {
        let error = #expect(throws: SecretFileError.self) { try ServerSecret.ofDirectory("/tmp/no/such/folder") }
        #expect(error?.path == "/tmp/no/such/folder/secret")
    }

    @Test("given by hand is held to the same measure")
    func byHand() throws {
        _ = try ServerSecret(World.secret)
        #expect(throws: SecretWeakness.tooShort(bytes: 5)) { try ServerSecret("short") }
    }
}
