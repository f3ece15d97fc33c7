import System
import Arguments
import HTTPServer
import Journal
import Pacing
import Service
import Testing
import Vocabulary

@testable import parley

@Suite("parley serve")
struct ServeCommandTests {
    @Test("parley serve runs with its defaults when no option is given")
    func defaults() throws {
        let service = try Self.service([])
        #expect(service.listen == [SocketAddress("127.0.0.1:8080")])
        #expect(service.admin == SocketAddress("127.0.0.1:8081"))
        #expect(service.data == .usual(environment: ProcessEnvironment.variables))
        #expect(service.tls == .off && !service.exposesTestEndpoints && service.crossOrigin.allowed.isEmpty)
        #expect(service.drainTimeout == .seconds(10) && service.loops == nil)
    }

    @Test("takes every option from the command line, the environment and a file alike")
    func everything() throws {
        let settings = [
            ("listen", "[::1]:0"), ("data", "/var/lib/parley"), ("admin", "localhost:9090"), ("tls-cert", "c.pem"),
            ("tls-key", "k.pem"), ("drain-timeout", "500ms"), ("loops", "3"), ("allow-origin", "https://example.org"),
            ("connect-rate", "7"), ("sessions-per-address", "9"), ("trusted-proxy", "10.0.0.0/8"),
        ]
        let variables = settings.map { ("PARLEY_" + $0.0.uppercased().replacing("-", with: "_"), $0.1) }
        let file = settings.map { "\($0.0) = \($0.1)\n" }.joined()
        try Self.expectEverything(Self.service(settings.flatMap { ["--\($0.0)", $0.1] }))
        try Self.expectEverything(Self.service([], environment: Dictionary(uniqueKeysWithValues: variables)))
        try Self.expectEverything(Self.service(["--config", "parley.conf"], file: file))
        #expect(try Self.service(["--tls", "self-signed"]).tls == .selfSigned)
    }

    @Test("I07 takes what is said by itself in the chats of orders, with colons in its words")
    func orderReplies() throws {
        let words = ["first:local:a", "unknown:upgrade:b", "X:driver:at 10:30", "Y:system:c"]
        let replies = try Self.service(words.flatMap { ["--order-reply", $0] }).doors.orderReplies
        #expect(replies.map(\.trigger) == [.firstWord, .unknownKind, .event("X"), .event("Y")])
        #expect(replies.map(\.voice) == [.local, .upgrade, .driver, .system])
        #expect(replies.map(\.text) == ["a", "b", "at 10:30", "c"])
        for wrong in [
            "X", "X:driver", "X:driver:", ":driver:a", "X:somebody:a", "X:local:" + String(repeating: "a", count: 1001),
        ] {
            #expect(OrderReply(wrong) == nil, "\(wrong)")
        }
    }

    private static func expectEverything(_ service: ServiceConfiguration) {
        #expect(service.listen == [SocketAddress("[::1]:0")])
        #expect(service.data == DataDirectory("/var/lib/parley"))
        #expect(service.admin == SocketAddress("127.0.0.1:9090"))
        #expect(service.tls == .files(certificate: "c.pem", key: "k.pem"))
        #expect(service.drainTimeout == .milliseconds(500) && service.loops == 3)
        #expect(service.crossOrigin.allowed == ["https://example.org"])
        #expect(service.arrivals.rate == TokenBucket.Rate(perSecond: 7, burst: 70) && service.arrivals.maximumOpen == 9)
        #expect(service.http.maximumConnectionsPerAddress == 18)
        #expect(service.http.trustedProxies.networks.map(\.description) == ["10.0.0.0/8"])
    }

    @Test(
        "refuses what does not go together",
        arguments: [
            (["--tls-cert", "c"], "--tls-cert and --tls-key must be given together"),
            (["--tls-key", "k"], "--tls-cert and --tls-key must be given together"),
            (
                ["--tls-cert", "c", "--tls-key", "k", "--tls", "self-signed"],
                "--tls self-signed cannot be combined with --tls-cert"
            ),
            (["--loops", "0"], "--loops: 0 is not between 1 and 256"),
            (["--connect-rate", "0"], "--connect-rate must be at least 1"),
            (
                ["--order-reply", "first:local:a", "--order-reply", "first:local:b"],
                "--order-reply: two replies for the same event and voice"
            ),
            (["--sessions-per-address", "0"], "--sessions-per-address: 0 is not between 1 and 1000000"),
            (["--lisen", "x"], "unknown option '--lisen'; did you mean '--listen'?"),
            (["--tls", "selfsigned"], "--tls: 'selfsigned' is not 'self-signed'; did you mean 'self-signed'?"),
        ]
    )
    func refusals(words: [String], message: String) {
        guard case .refuse(let error) = Self.parse(words) else { return #expect(Bool(false), "not refused") }
        #expect(error.message == message)
        #expect(error.description == "parley serve: \(message)\ntry 'parley help serve'")
    }

    @Test("is told about in help, in the manual and to every shell")
    func documents() throws {
        let texts =
            try [HelpRequest.text(for: ["serve"], in: ParleyCommand.self), ManualPage(for: ParleyCommand.self).text]
            + Shell.allCases.map { CompletionScript(for: ParleyCommand.self, shell: $0).text }
        for text in texts {
            let plain = text.replacing(#"\-"#, with: "-")
            #expect(plain.contains("drain-timeout") && plain.contains("self-signed"))
        }
    }

    @Test("A template of the configuration file names defaults that a server takes")
    func template() {
        let parts = ConfigurationTemplate(for: ServeCommand.self, of: ParleyCommand.self).text.split(separator: "\n\n")
        #expect(parts.count > 50)
        for part in parts {
            let line = part.split(separator: "\n").last?.dropFirst() ?? ""
            let value = line.split(separator: " = ").last ?? ""
            guard part.replacing("\n# ", with: " ").contains("(default: \(value)") else { continue }
            guard case .run = Self.parse(["--config", "parley.conf"], file: String(line)) else {
                Issue.record("\(line): \(Self.parse(["--config", "parley.conf"], file: String(line)))")
                continue
            }
        }
    }

    private static func parse(
        _ words: [String],
        environment: [String: String] = [:],
        file: String = ""
    ) -> CommandParser.Outcome {
        CommandParser(ParleyCommand.self, environment: environment, readFile: { _ in file }).parse(["serve"] + words)
    }

    private static func service(
        _ words: [String],
        environment: [String: String] = [:],
        file: String = ""
    ) throws -> ServiceConfiguration {
        guard case .run(let command, "parley serve") = Self.parse(words, environment: environment, file: file) else {
            throw CommandFailure("\(Self.parse(words, environment: environment, file: file))")
        }
        return try #require(command as? ServeCommand).service
    }
}

@Suite("A configuration file")
struct ReadFileTests {
    @Test("that is not there is named with the system's reason")
    func missing() {
        #expect { try TextFile.read("/nowhere/parley.conf") } throws: {
            "\($0)" == "No such file or directory"
        }
        #expect { try TextFile.read("/") } throws: { "\($0)" == "Is a directory" }
    }

    @Test("that never ends is given up")
    func endless() {
        #expect { try TextFile.read("/dev/zero") } throws: { "\($0)" == "it is larger than 1 MiB" }
    }
}

@Suite("The program")
struct ProgramTests {
    @Test(
        "ends with the documented code",
        arguments: [
            (["serv"], ExitCode.usage), (["help", "sreve"], .usage), (["help", "serve"], .success),
            (["--version"], .success),
        ])
    func codes(words: [String], code: ExitCode) {
        #expect(Program.run(words) == code)
    }
}
