import TestSupport
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A coturn of one's own, for as long as a test holds on to it.
final class CoTURN {
    let port: UInt16
    private let process: pid_t
    private let output: Int32
    private let folder: TemporaryFolder

    struct Failure: Error {
        let what: String
    }

    static var isInstalled: Bool { self.find("turnserver") != nil && self.find("openssl") != nil }

    /// One account, `user` with `pass`, unless the options say otherwise. It takes TLS and DTLS on the same port.
    init(_ options: String..., accounts: [String] = ["--lt-cred-mech", "--user=user:pass"]) throws {
        self.folder = try TemporaryFolder()
        let (certificate, key) = (self.folder.place("cert.pem"), self.folder.place("key.pem"))
        self.port = Self.freePort()
        let made = try Self.start(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-keyout", key, "-out", certificate)
        waitpid(made.process, nil, 0)
        close(made.output)
        let always = [
            "-n", "--no-cli", "--fingerprint", "--realm=lab.example", "--log-file=stdout", "--simple-log",
            "--allow-loopback-peers", "--listening-ip=127.0.0.1", "--listening-ip=::1", "--relay-ip=127.0.0.1",
            "--relay-ip=::1", "--listening-port=\(self.port)", "--tls-listening-port=\(self.port + 1)",
            "--cert=\(certificate)", "--pkey=\(key)", "--userdb=\(self.folder.place("turn.db"))",
            "--pidfile=\(self.folder.place("turn.pid"))",
        ]
        (self.process, self.output) = try Self.start("turnserver", always + accounts + options)
        try self.waitUntilReady()
    }

    deinit {
        kill(self.process, SIGKILL)
        waitpid(self.process, nil, 0)
        close(self.output)
    }

    func address(_ ip: IPAddress = .loopback) -> SocketAddress { SocketAddress(ip, port: self.port) }

    /// The last thread to come up says so.
    private func waitUntilReady() throws {
        var heard: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while !String(decoding: heard, as: UTF8.self).contains("(admin thread)") {
            let count = read(self.output, &piece, piece.count)
            guard count > 0 else { throw Failure(what: String(decoding: heard.suffix(500), as: UTF8.self)) }
            heard += piece[..<count]
        }
    }

    /// A port whose follower is free as well, with some luck: nobody holds on to it in between.
    private static func freePort() -> UInt16 { .random(in: 20_000...32_000) & ~1 }

    private static func start(_ program: String, _ words: String...) throws -> (process: pid_t, output: Int32) {
        try self.start(program, words)
    }

    private static func start(_ program: String, _ words: [String]) throws -> (process: pid_t, output: Int32) {
        guard let path = Self.find(program) else { throw Failure(what: "\(program) is not installed") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let ends = try PipeEnds()
        defer { close(ends.writer) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends.writer, 1)
        var arguments = ([program] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let code = PipeEnds.spawn { posix_spawn(&child, path, &actions, nil, &arguments, environ) }
        guard code == 0 else {
            close(ends.reader)
            throw Failure(what: "\(path) does not start")
        }
        return (child, ends.reader)
    }

    private static func find(_ program: String) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}
