import Arguments
import ICE
import ICEServers
import Pathways
import Vocabulary

/// `parley stun`: which STUN and TURN servers answer, and what kind of network this is.
struct StunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "stun",
        abstract: "Test STUN and TURN servers, and detect the NAT in front of you.",
        discussion: """
            Asks every server at the same time, over each transport its URL allows and over IPv4 and IPv6. A server \
            without a scheme is asked over UDP, TCP, TLS and DTLS. With a server that has two addresses (RFC 5780) it \
            also tells how the NAT maps and filters.

            In the table, MIN, MEDIAN and MAX are round trips, LOST the requests without an answer, SEEN AS the address the             server saw, and RELAY the address a TURN server lent, or why it lent none.
            """,
        examples: [
            .init("parley stun stun.example.org", "One server, over every transport."),
            .init("parley stun --ice-servers ice-servers.json --best best.json", "Write those that work to a file."),
            .init("parley stun --json stun:198.51.100.1 | jq .verdict", "For programs."),
        ],
        exitCodes: [
            .init(.success, "Every server works over at least one transport."),
            .init(.failure, "Some servers do not work."),
            .init(.usage, "The command line is wrong."),
            .init(.noInput, "The file with the servers cannot be read or is malformed."),
            .init(.unavailable, "No server works."),
            .init(.cannotCreate, "The file for --best cannot be written."),
        ]
    )

    @Argument(
        help: ArgumentHelp("HOST, HOST:PORT or a URL such as turn:host:3478.", valueName: "SERVER"))
    var servers: [String]

    @Option(
        help: ArgumentHelp("Test the servers of an ice-servers.json, with its credentials.", valueName: "FILE"),
        completion: .file)
    var iceServers: String?

    @Option(help: ArgumentHelp("User name for the TURN servers on the command line.", valueName: "NAME"))
    var username: String?

    @Option(help: ArgumentHelp("Password for them.", valueName: "TEXT"))
    var credential: String?

    @Option(help: "Measure how long the NAT keeps a binding, up to this time.")
    var lifetime = Duration.zero

    @Flag(help: "Accept any certificate, for a trial on your own network.")
    var insecure = false

    @Flag(help: "Results as JSON, one object per line.")
    var json = false

    @Flag(help: "Repeat until interrupted.")
    var watch = false

    @Option(help: "Interval between two tests with --watch.")
    var every = Duration.seconds(10)

    @Option(
        help: ArgumentHelp("Write an ice-servers.json with the servers that work, fastest first.", valueName: "FILE"),
        completion: .file)
    var best: String?

    @OptionGroup var overwriting: OverwritingOptions

    func validate() throws(ValidationError) {
        if self.servers.isEmpty, self.iceServers == nil {
            throw ValidationError("name a server, or a file with --ice-servers")
        }
        if (self.username == nil) != (self.credential == nil) {
            throw ValidationError("--username and --credential must be given together")
        }
        if self.lifetime > .seconds(3600) { throw ValidationError("--lifetime must be at most 1h") }
        for server in self.servers { _ = try self.target(server) }
    }

    mutating func run() throws -> ExitCode {
        try self.overwriting.check(self.best)
        var selection = ICEServerSelection()
        var targets = try self.servers.map { text throws(ValidationError) in try self.target(text) }
        for target in targets {
            selection.add(target.url, username: target.account?.username, credential: target.account?.password)
        }
        if let path = self.iceServers { targets += try StunFile(path).targets(into: &selection) }
        let run = StunRun(
            targets: targets, settings: .init(watching: self.lifetime, trustsAnybody: self.insecure), rest: self.every)
        let (json, best) = (self.json, self.best)
        return try run.look(again: self.watch) { report, isRepeated in
            StunPage.show(report, asJSON: json, isRepeated: isRepeated)
            if let best { try StunFile.write(selection.file(of: report.best), to: best) }
        }
    }

    private func target(_ text: String) throws(ValidationError) -> SurveyTarget {
        let scheme = text.split(separator: ":", maxSplits: 1).first.map { $0.lowercased() } ?? ""
        guard ICEServerURL.Scheme(rawValue: scheme) != nil else {
            guard let url = ICEServerURL("stun:\(text)") else { throw Self.refusal(of: text) }
            return SurveyTarget(url, transports: TURNTransport.allCases)
        }
        guard let url = ICEServerURL(text) else { throw Self.refusal(of: text) }
        guard url.scheme.needsCredentials else { return SurveyTarget(url) }
        guard let username = self.username, let credential = self.credential else {
            throw ValidationError("\(text): a TURN server needs --username and --credential")
        }
        return SurveyTarget(url, account: TURNAccount(username: username, password: credential))
    }

    private static func refusal(of text: String) -> ValidationError {
        ValidationError("\(text): not a host or a URL such as stun:host:3478 or turns:host?transport=tcp")
    }
}
