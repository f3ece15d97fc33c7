import Arguments
import HTTPServer
import ICEServers
import Journal
import Pacing
import Reactor
import Secure
import Service
import Sessions
import Store
import Switchboard
import Vocabulary

/// `parley serve`
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "serve",
        abstract: "Serve signalling, chat and calls.",
        discussion: """
            Without options it listens on http://127.0.0.1:8080 and needs nothing else: no configuration, no other \
            service. SIGTERM and SIGINT end it gently: it takes no new connections and gives the open ones the time \
            of --drain-timeout; a second signal ends it at once. SIGHUP reads the certificate again.
            """,
        examples: [
            .init("parley serve --listen 0.0.0.0:8080 --data /var/lib/parley", "For everybody in reach, kept on disk."),
            .init("parley serve --listen 0.0.0.0:8443 --tls self-signed", "A trial with TLS in one's own network."),
            .init("parley serve --config parley.conf", "With options from a file."),
        ],
        exitCodes: [
            .init(.success, "The server was asked to stop and has stopped."),
            .init(.usage, "The command line, the environment or the configuration file is wrong."),
            .init(.noInput, "A certificate, a key, or another file or folder that was named cannot be read."),
            .init(.osError, "The system refused something, such as the port."),
            .init(.cannotCreate, "The data directory cannot be made or written to."),
        ]
    )

    @Option(name: [.customShort("l"), .long], help: "Where to wait for connections; port 0 takes any that is free.")
    var listen = ServiceConfiguration().listen

    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp("Folder in which everything is kept; ~/.local/share/parley by itself.", valueName: "DIR"),
        completion: .directory
    )
    var data: String?

    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp("File that may set all other options.", valueName: "FILE"),
        completion: .file,
        role: .configurationFile
    )
    var config: String?

    @Option(help: "Where to serve /livez, /readyz and /metrics, off the public port.")
    var admin = ServiceConfiguration().admin

    @Option(
        help: ArgumentHelp("A name by which that is reached, besides its address; may be repeated.", valueName: "NAME"))
    var adminName: [String] = []

    @Option(
        help: ArgumentHelp("Folder of web pages to serve instead of the built-in one.", valueName: "DIR"),
        completion: .directory)
    var web: String?

    @Option(
        help: ArgumentHelp("Web pages from elsewhere that may connect, as in https://example.org.", valueName: "ORIGIN")
    )
    var allowOrigin: [String] = []

    @OptionGroup var log: LogOptions

    @OptionGroup var security: TLSOptions

    @Option(help: "How long open connections may take to end.")
    var drainTimeout = ServiceConfiguration().drainTimeout

    @Option(help: "How long a Socket.IO client may be quiet before it is asked whether it is there.")
    var pingInterval = Duration.seconds(25)

    @Option(help: "How long its answer may take.")
    var pingTimeout = Duration.seconds(20)

    @Option(help: "How long a call rings until nobody has answered.")
    var ringTimeout = ServiceConfiguration().ringTime

    @Option(help: "How long it is kept who called whom and when.")
    var callHistory = ServiceConfiguration().callHistory

    @Option(help: "How long messages are kept, where a conversation does not say less; for ever by itself.")
    var messageHistory: Duration?

    @Option(help: "How many event loops; without a number, one per core.")
    var loops: Int?

    @Option(
        help: ArgumentHelp(
            "Where the built-in STUN service listens, or off; on port 3478 by itself.", valueName: "ADDR:PORT"))
    var stun: STUNChoice?

    @Option(
        help: ArgumentHelp("STUN and TURN servers that clients are told of.", valueName: "FILE"), completion: .file)
    var iceServers: String?

    @Option(
        help: ArgumentHelp(
            """
            Key of a program that vouches for users: its name, a colon and its secret, or ID:ed25519:KEY with the public \
            half of a key pair.
            """, valueName: "ID:SECRET"))
    var app: [ApplicationKeyArgument] = []

    @OptionGroup var doors: DoorOptions

    @Option(help: "How many requests a second one client may make for long; four times as many at once.")
    var requestRate = 100

    @Option(help: "How many sessions a second one address may begin for long; ten times as many at once.")
    var connectRate = 50

    @Option(help: "How many sessions one address may have open, and twice as many connections.")
    var sessionsPerAddress = ServiceConfiguration().arrivals.maxOpen

    @Option(
        help: ArgumentHelp(
            "Proxy in front whose X-Forwarded-For is believed; an address or a network such as 10.0.0.0/8.",
            valueName: "NETWORK"))
    var trustedProxy: [IPNetwork] = []

    @Option(
        help: """
            What a message outlives once it is acknowledged: 'full' a machine that loses its power, 'normal' the end of \
            the program.
            """)
    var durability = StoreDurability.full

    @Option(help: "How large a file may be that somebody brings.")
    var largestFile = ByteCount(ServiceConfiguration().files.largest)

    @Option(help: "How much of their files one user may keep here.")
    var filesPerUser = ByteCount(ServiceConfiguration().files.allowance.bytes)

    @Option(
        help: ArgumentHelp(
            "A program that hears of everything that is said, signed and at least once.", valueName: "URL"))
    var webhook: HookURL?

    @Option(help: ArgumentHelp("A program that is asked before something is said.", valueName: "URL"))
    var preSendHook: HookURL?

    @Option(help: "How long its answer may take.")
    var preSendTimeout = HookSettings().preSendTime

    @Option(help: "What becomes of a message when it says nothing in time.")
    var preSendSilence = HookSettings().preSendSilence

    @Option(
        help: ArgumentHelp("What requests to such programs are signed with, at least 32 bytes.", valueName: "SECRET"))
    var webhookSecret: String?

    @Flag(help: ArgumentHelp("What the official Socket.IO suites expect, instead of signalling.", isHidden: true))
    var conformance = false

    @Flag(help: ArgumentHelp("Endpoints for conformance suites and benchmarks.", isHidden: true))
    var testEndpoints = false

    func validate() throws(ValidationError) {
        if self.pingTimeout <= EngineSettings.slack || self.pingInterval <= .zero {
            throw ValidationError("--ping-interval and --ping-timeout leave no time for an answer")
        }
        if self.connectRate < 1 { throw ValidationError("--connect-rate: nobody could come in") }
        if !(1...1_000_000).contains(self.sessionsPerAddress) {
            throw ValidationError("--sessions-per-address: \(self.sessionsPerAddress) is not between 1 and 1000000")
        }
        if self.requestRate < 1 { throw ValidationError("--request-rate: nobody could ask for anything") }
        if self.ringTimeout <= .zero { throw ValidationError("--ring-timeout leaves no time to answer") }
        try self.validateHooks()
        if let loops = self.loops, !(1...256).contains(loops) {
            throw ValidationError("--loops: \(loops) is not between 1 and 256")
        }
    }

    private func validateHooks() throws(ValidationError) {
        if self.preSendTimeout <= .zero { throw ValidationError("--pre-send-timeout leaves no time to answer") }
        guard self.webhook != nil || self.preSendHook != nil else { return }
        guard let secret = self.webhookSecret else {
            throw ValidationError("--webhook-secret: without one nobody could tell our requests from others")
        }
        if let weakness = SecretWeakness.found(in: Array(secret.utf8)) {
            throw ValidationError("--webhook-secret: \(weakness)")
        }
    }

    private var hooks: HookSettings {
        var hooks = HookSettings()
        hooks.webhook = self.webhook
        hooks.preSend = self.preSendHook
        hooks.secret = self.webhookSecret ?? ""
        hooks.preSendTime = self.preSendTimeout
        hooks.preSendSilence = self.preSendSilence
        return hooks
    }

    var service: ServiceConfiguration {
        var service = ServiceConfiguration()
        service.listen = self.listen
        service.admin = self.admin
        service.adminNames = self.adminName
        service.data = self.data.map { DataDirectory($0) } ?? .usual(environment: ProcessEnvironment.variables)
        service.tls = self.security.choice
        service.web = self.web
        service.drainTimeout = self.drainTimeout
        service.loops = self.loops
        service.crossOrigin = CrossOrigin(allowed: Set(self.allowOrigin))
        service.engine = EngineSettings(pingInterval: self.pingInterval, pingTimeout: self.pingTimeout)
        service.ringTime = self.ringTimeout
        service.callHistory = self.callHistory
        service.messageHistory = self.messageHistory
        service.stun = self.stun?.choice ?? .besideServer
        service.iceServers = self.iceServers
        service.environment = ProcessEnvironment.variables
        service.applications = self.app.map(\.key)
        service.doors = self.doors.settings
        service.durability = self.durability
        service.files.largest = self.largestFile.count
        service.files.allowance.bytes = self.filesPerUser.count
        service.hooks = self.hooks
        service.servesConformance = self.conformance
        service.switchboard.requests = .init(
            perSecond: Double(self.requestRate), burst: Double(self.requestRate) * 4)
        service.arrivals.rate = .init(perSecond: Double(self.connectRate), burst: Double(self.connectRate) * 10)
        service.arrivals.maxOpen = self.sessionsPerAddress
        // A client that polls has two connections.
        service.http.maxConnectionsPerAddress = self.sessionsPerAddress * 2
        service.http.trustedProxies = TrustedProxies(self.trustedProxy)
        service.exposesTestEndpoints = self.testEndpoints
        return service
    }

    mutating func run() throws -> ExitCode {
        let configuration = self.service
        if let web = configuration.web, !StaticFiles.canServe(web) {
            throw CommandFailure("\(web): this is no folder that can be read", exitCode: .noInput)
        }
        do {
            let service = try ParleyService(configuration, journal: self.log.journal)
            try self.greet(service.start())
            service.waitUntilEnded()
            return .success
        } catch let error as DataDirectoryError {
            throw CommandFailure("\(error)", exitCode: .cannotCreate)
        } catch let error as SecureError {
            throw CommandFailure("\(error)", exitCode: .noInput)
        } catch let error as ICEServerFileError {
            throw CommandFailure("\(configuration.iceServerFile): \(error)", exitCode: .noInput)
        } catch let error as SecretWeakness {
            throw CommandFailure("\(error)", exitCode: .usage)
        } catch let error as ReactorError {
            throw CommandFailure(self.explain(error), exitCode: .osError)
        }
    }

    /// The journal has told programs; this is for the person at the terminal.
    private func greet(_ addresses: ParleyService.Addresses) {
        guard Terminal.isInteractive else { return }
        let scheme = self.security.choice == .off ? "http" : "https"
        print(
            """

            Parley is ready at \(scheme)://\(addresses.listen)
            Open it in two windows and ring one from the other. Then try:
                parley users
                parley voice encode hello.wav

            Health and metrics: http://\(addresses.admin)/readyz, /metrics
            Kept in:            \(self.service.data)
            Stop with Control-C.

            """)
    }

    private func explain(_ error: ReactorError) -> String {
        guard error.isAddressInUse else { return "\(error)" }
        let flag = error.subject == "\(self.admin)" ? "--admin" : "--listen"
        return "\(error); another program has that port, so choose another with \(flag)"
    }
}
