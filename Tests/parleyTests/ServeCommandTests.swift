import Arguments
import Journal
import Testing

@testable import parley

@Suite("parley serve")
struct ServeCommandTests {
    @Test("needs no option")
    func defaults() throws {
        let options = try Self.options([])
        #expect(
            options
                == ServeOptions(
                    listen: ListenAddress(host: "127.0.0.1", port: 8080),
                    dataDirectory: nil,
                    admin: nil,
                    logStyle: .text,
                    logLevel: .info,
                    tls: .off,
                    drainTimeout: .seconds(10),
                    loops: nil
                )
        )
    }

    @Test("takes every option from the command line, the environment and a file alike")
    func everything() throws {
        let settings = [
            ("listen", "[::1]:0"), ("data", "/var/lib/parley"), ("admin", "localhost:9090"), ("log-format", "json"),
            ("log-level", "debug"), ("tls-cert", "c.pem"), ("tls-key", "k.pem"), ("drain-timeout", "500ms"),
            ("loops", "3"),
        ]
        let expected = ServeOptions(
            listen: ListenAddress(host: "::1", port: 0),
            dataDirectory: "/var/lib/parley",
            admin: ListenAddress(host: "localhost", port: 9090),
            logStyle: .json,
            logLevel: .debug,
            tls: .files(certificate: "c.pem", key: "k.pem"),
            drainTimeout: .milliseconds(500),
            loops: 3
        )
        let variables = settings.map { ("PARLEY_" + $0.0.uppercased().replacing("-", with: "_"), $0.1) }
        let file = settings.map { "\($0.0) = \($0.1)\n" }.joined()
        #expect(try Self.options(settings.flatMap { ["--\($0.0)", $0.1] }) == expected)
        #expect(try Self.options([], environment: Dictionary(uniqueKeysWithValues: variables)) == expected)
        #expect(try Self.options(["--config", "parley.conf"], file: file) == expected)
        #expect(try Self.options(["--tls", "self-signed"]).tls == .selfSigned)
    }

    @Test(
        "refuses what does not go together",
        arguments: [
            (["--tls-cert", "c"], "--tls-cert and --tls-key belong together"),
            (["--tls-key", "k"], "--tls-cert and --tls-key belong together"),
            (
                ["--tls-cert", "c", "--tls-key", "k", "--tls", "self-signed"],
                "--tls self-signed does not go with --tls-cert"
            ),
            (["--loops", "0"], "--loops: 0 is not between 1 and 256"),
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

    private static func parse(
        _ words: [String],
        environment: [String: String] = [:],
        file: String = ""
    ) -> CommandParser.Outcome {
        CommandParser(ParleyCommand.self, environment: environment, readFile: { _ in file }).parse(["serve"] + words)
    }

    private static func options(
        _ words: [String],
        environment: [String: String] = [:],
        file: String = ""
    ) throws -> ServeOptions {
        guard case .run(let command, "parley serve") = Self.parse(words, environment: environment, file: file) else {
            throw CommandFailure("\(Self.parse(words, environment: environment, file: file))")
        }
        return try #require(command as? ServeCommand).options
    }
}

@Suite("An address to listen at")
struct ListenAddressTests {
    @Test(
        "is shown as it was written", arguments: ["127.0.0.1:8080", "[::1]:0", "localhost:65535", "[fe80::1%eth0]:80"])
    func roundTrip(text: String) throws {
        #expect(try #require(ListenAddress(argument: text)).description == text)
    }

    @Test(
        "needs both parts, and IPv6 its brackets",
        arguments: [
            "", ":", ":80", "localhost", "localhost:", "a:65536", "a:-1", "a:+1", "a:0x1", "::1:80", "[::1]", "[]:80",
            "[a]:80", "a b:80", "a:8080x", "[::1:80", "a\n:80",
        ]
    )
    func refusals(text: String) {
        #expect(ListenAddress(argument: text) == nil)
    }
}

@Suite("A configuration file")
struct ReadFileTests {
    @Test("that is not there is named with the system's reason")
    func missing() {
        #expect { try ProcessEnvironment.readFile("/nowhere/parley.conf") } throws: {
            "\($0)" == "No such file or directory"
        }
        #expect { try ProcessEnvironment.readFile("/") } throws: { "\($0)" == "Is a directory" }
    }

    @Test("that never ends is given up")
    func endless() {
        #expect { try ProcessEnvironment.readFile("/dev/zero") } throws: { "\($0)" == "it is larger than 1 MiB" }
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
