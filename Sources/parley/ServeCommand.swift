import System
import Arguments
import Client
import HTTPServer
import ICEServers
import Identity
import Journal
import Pacing
import Reactor
import Secure
import Service
import Sessions
import Keeping
import Switchboard
import Vocabulary

/// `parley serve`
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "serve",
        abstract: "Serve signalling, chat and calls.",
        discussion: """
            Without options it listens on http://127.0.0.1:8080 and needs nothing else: no configuration, no other \
            service. SIGTERM and SIGINT stop it gracefully: it accepts no new connections and gives open ones up to \
            --drain-timeout to finish; a second signal stops it at once. SIGHUP reloads the certificate, and with --acme \
            asks the authority again after a failure.
            """,
        examples: [
            .init(
                "parley serve --listen 0.0.0.0:8080 --data /var/lib/parley",
                "Reachable from the network, data kept on disk."),
            .init("parley serve --listen 0.0.0.0:8443 --tls self-signed", "A trial with TLS on your own network."),
            .init(
                "parley serve --listen [::]:443 --acme talk.example.org --acme-agree",
                "A public server whose certificate comes from Let's Encrypt."),
            .init("parley serve --config parley.conf", "Options from a file."),
        ],
        exitCodes: [
            .init(.success, "The server was asked to stop and has stopped."),
            .init(.usage, "The command line, the environment or the configuration file is wrong."),
            .init(.dataError, "The database is damaged."),
            .init(
                .noInput,
                "The secret is missing, or a certificate, a key, or another file or folder that was named cannot be read."
            ),
            .init(.osError, "The system refused something, such as the port."),
            .init(.cannotCreate, "The data directory cannot be made or written to."),
        ]
    )

    @Option(
        name: [.customShort("l"), .long],
        help: """
            Address and port to listen on; [::]:8080 is every address of the machine, port 0 any free port.
            """)
    var listen = ServiceConfiguration().listen

    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp("Data directory; default: ~/.local/share/parley.", valueName: "DIR"),
        completion: .directory
    )
    var data: String?

    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp("Configuration file; may set every other option.", valueName: "FILE"),
        completion: .file,
        role: .configurationFile
    )
    var config: String?

    @Option(help: "Address and port of the admin API, /livez, /readyz and /metrics.")
    var admin = ServiceConfiguration().admin

    @Option(
        help: ArgumentHelp(
            """
            Token that requests to the admin address must bring, at least 32 bytes, or 'off'; needed where that address \
            is not a loopback address.
            """, valueName: "TOKEN"))
    var adminToken: String?

    @Flag(help: "Serve the network without TLS; anyone on the way can read passwords and messages.")
    var plainHTTP = false

    @Option(
        help: ArgumentHelp(
            "Allowed ways to sign in: anonymous, register and applications, separated by commas, or all, or none.",
            valueName: "LIST"))
    var signIn = SignInMethods.all

    @Option(help: "What becomes of a user who connects while another device of theirs is connected.")
    var secondSignIn = SecondSignIn.together

    @Option(
        help: ArgumentHelp("Host name the admin address is also reached by.", valueName: "NAME"))
    var adminName: [String] = []

    @Option(
        help: ArgumentHelp("Directory of web pages to serve instead of the built-in page.", valueName: "DIR"),
        completion: .directory)
    var web: String?

    @Option(
        help: ArgumentHelp(
            "Other web origin that may connect, such as https://example.org.", valueName: "ORIGIN")
    )
    var allowOrigin: [String] = []

    @OptionGroup var log: LogOptions

    @Flag(help: "Log each request and each refused sign-in, with the client's address.")
    var accessLog = false

    @OptionGroup var security: TLSOptions

    @Option(help: "How long open connections may take to finish at shutdown.")
    var drainTimeout = ServiceConfiguration().drainTimeout

    @Option(
        help: ArgumentHelp(
            """
            Where other servers on the same database pass on requests of this one's clients; default: the --listen \
            address, if it has no TLS.
            """, valueName: "URL"))
    var nodeAddress: ServerURL?

    @Option(help: "Interval between heartbeat pings to Socket.IO clients.")
    var pingInterval = Duration.seconds(25)

    @Option(help: "How long a client may take to answer a ping before its connection is closed.")
    var pingTimeout = Duration.seconds(20)

    @Option(help: "How long a call rings before it ends as not answered.")
    var ringTimeout = ServiceConfiguration().ringTime

    @Option(help: "How long call records are kept.")
    var callHistory = ServiceConfiguration().callHistory

    @Option(help: "How long the audit log of operators and moderators is kept.")
    var auditHistory = ServiceConfiguration().auditHistory

    @Option(help: "How long messages are kept, unless a conversation sets a shorter time; default: for ever.")
    var messageHistory: Duration?

    @Option(help: "Number of event loops; default: one per core.")
    var loops: Int?

    @Option(help: "How many of the event loops carry sessions; one is enough below 100,000 users.")
    var signallingLoops = ServiceConfiguration().signallingLoops

    @Option(
        help: ArgumentHelp(
            "Address and port of the built-in STUN server, or 'off'; default: port 3478 of the --listen address.",
            valueName: "ADDR:PORT"))
    var stun: STUNChoice?

    @OptionGroup var turn: TURNOptions
    @OptionGroup var push: PushOptions

    @Option(
        help: ArgumentHelp("File with the STUN and TURN servers given to clients.", valueName: "FILE"),
        completion: .file)
    var iceServers: String?

    @Option(
        help: ArgumentHelp(
            """
            Key of an application that signs its own users' tokens: ID:SECRET, or ID:ed25519:KEY with a public \
            key.
            """, valueName: "ID:SECRET"))
    var app: [ApplicationKeyArgument] = []

    @Option(
        help: ArgumentHelp(
            """
            Limit an application to users and orders whose ids begin with PREFIX; default: no limit.
            """, valueName: "ID:PREFIX"))
    var appUsers: [ApplicationPrefixArgument] = []

    @OptionGroup var openID: OpenIDOptions

    @OptionGroup var doors: DoorOptions

    @Option(help: "Requests per second that one client may make; bursts of up to four times as many.")
    var requestRate = 100

    @Option(help: "New sessions per second from one address; bursts of up to ten times as many.")
    var connectRate = 50

    @Option(
        help:
            "New users at once from one address, before each further one waits; raise it for a school behind one address."
    )
    var newUsersPerAddress = ServiceConfiguration().accounts.attempts.creation.free

    @Option(help: "How long a client waits to be let in when many arrive at once; those beyond are told to come later.")
    var arrivalWait = ServiceConfiguration().maximumArrivalWait

    @Option(help: "Open sessions per address; connections may be twice as many.")
    var sessionsPerAddress = ServiceConfiguration().arrivals.maximumOpen

    @Option(
        help: ArgumentHelp(
            "Reverse proxy whose X-Forwarded-For is trusted: an address or a network such as 10.0.0.0/8.",
            valueName: "NETWORK"))
    var trustedProxy: [IPNetwork] = []

    @Option(
        help: ArgumentHelp(
            """
            Keep messages and accounts in a PostgreSQL database, say postgresql://parley@db.example.org/parley; a \
            password is better in PARLEY_STORE, or in the file libpq reads. Default: a file in the data directory.
            """, valueName: "URL"))
    var store: StoreArgument?

    @Option(
        help: """
            What an acknowledged message survives: 'full' also a power failure, 'normal' a crash of the program.
            """)
    var durability = StoreDurability.full

    @OptionGroup var fileStore: FilesOptions

    @Flag(
        help:
            "Pass downloads through this server instead of sending clients to the S3 store, where they cannot reach it."
    )
    var filesThroughServer = false

    @Option(help: "Maximum size of an uploaded file.")
    var largestFile = ByteCount(ServiceConfiguration().files.maximumBytes)

    @Option(help: "Storage for the files of one user.")
    var filesPerUser = ByteCount(ServiceConfiguration().files.allowance.bytes)

    @Option(help: "Maximum number of files of one user.")
    var fileCountPerUser = ServiceConfiguration().files.allowance.files

    @Option(help: "How much one user may send in a day; each message counts its text and 256 bytes.")
    var messageBytesPerDay = ByteCount(ServiceConfiguration().messageBytesPerDay)

    @Option(
        help: ArgumentHelp(
            "Endpoint that receives every entry, signed, at least once.", valueName: "URL"))
    var webhook: HTTPURL?

    @Option(help: ArgumentHelp("What else that endpoint receives, in its order.", valueName: "LIST"))
    var webhookEvents = HookTopics()

    @Option(help: ArgumentHelp("Endpoint that is asked before a message is accepted.", valueName: "URL"))
    var preSendHook: HTTPURL?

    @Option(help: "How long the pre-send hook may take to answer.")
    var preSendTimeout = HookSettings().preSendTime

    @Option(help: "What happens to a message when the pre-send hook does not answer in time.")
    var preSendSilence = HookSettings().preSendSilence

    @Option(
        help: ArgumentHelp("Secret that webhook requests are signed with: 'whsec_' and Base64.", valueName: "SECRET"))
    var webhookSecret: String?

    @Flag(help: ArgumentHelp("What the official Socket.IO suites expect, instead of signalling.", isHidden: true))
    var conformance = false

    @Flag(help: ArgumentHelp("Endpoints for conformance suites and benchmarks.", isHidden: true))
    var testEndpoints = false

    func validate() throws(ValidationError) {
        if self.pingTimeout <= EngineSettings.slack || self.pingInterval <= .zero {
            throw ValidationError("--ping-interval and --ping-timeout leave no time for an answer")
        }
        try self.validateExposure()
        let ids = self.appUsers.map(\.id)
        if let id = ids.first(where: { id in !self.app.contains { $0.key.id == id } }) {
            throw ValidationError("--app-users \(id): there is no --app of this name")
        }
        if Set(ids).count < ids.count { throw ValidationError("--app-users: an application has one prefix") }
        if self.newUsersPerAddress < 1 { throw ValidationError("--new-users-per-address must be at least 1") }
        if self.connectRate < 1 { throw ValidationError("--connect-rate must be at least 1") }
        if !(1...1_000_000).contains(self.sessionsPerAddress) {
            throw ValidationError("--sessions-per-address: \(self.sessionsPerAddress) is not between 1 and 1000000")
        }
        if self.filesThroughServer, self.fileStore.files == nil {
            throw ValidationError("--files-through-server needs --files; without it files pass this server anyway")
        }
        if self.fileCountPerUser < 1 { throw ValidationError("--file-count-per-user must be at least 1") }
        if self.requestRate < 1 { throw ValidationError("--request-rate must be at least 1") }
        if self.ringTimeout <= .zero { throw ValidationError("--ring-timeout must be greater than zero") }
        try self.validateHooks()
        if let loops = self.loops, !(1...256).contains(loops) {
            throw ValidationError("--loops: \(loops) is not between 1 and 256")
        }
        if !(1...(self.loops ?? 256)).contains(self.signallingLoops) {
            throw ValidationError(
                "--signalling-loops: \(self.signallingLoops) is not between 1 and \(self.loops ?? 256) (see --loops)")
        }
    }

    /// What is reached from elsewhere says so, and how it is protected.
    private func validateExposure() throws(ValidationError) {
        let isBehindProxy = !self.trustedProxy.isEmpty
        let inherited = Self.manager.sockets.filter { $0.name != "admin" }.map(\.address)
        let exposed = (inherited.isEmpty ? self.listen : inherited).first { !$0.ip.isLoopback }
        if let exposed, self.security.choice == .off, !isBehindProxy, !self.plainHTTP {
            throw ValidationError(
                """
                --listen \(exposed) is reached from the network, but without TLS passwords and messages can be read on \
                the way, and browsers give no page a microphone; add --acme with its domain name, --tls self-signed, or --tls-cert and --tls-key, or name \
                the proxy that does TLS with --trusted-proxy, or say --plain-http
                """)
        }
        if let exposed, self.doors.treeEmulator {
            throw ValidationError("--tree-emulator: whoever reaches \(exposed) would be an administrator")
        }
        switch self.adminToken {
        case nil where !self.admin.ip.isLoopback:
            throw ValidationError(
                """
                --admin \(self.admin) is reached from the network, and whoever reaches it can remove users; add --admin-token \
                with a secret of at least 32 bytes, or say --admin-token off
                """)
        case nil, "off": break
        case .some(let token):
            if let weakness = SecretWeakness.found(in: Array(token.utf8)) {
                throw ValidationError("--admin-token: \(weakness)")
            }
        }
    }

    private func validateHooks() throws(ValidationError) {
        if self.preSendTimeout <= .zero { throw ValidationError("--pre-send-timeout must be greater than zero") }
        if !self.webhookEvents.topics.isEmpty, self.webhook == nil {
            throw ValidationError("--webhook-events needs --webhook, which receives them")
        }
        guard self.webhook != nil || self.preSendHook != nil else { return }
        guard let secret = self.webhookSecret else {
            throw ValidationError(
                "--webhook and --pre-send-hook need --webhook-secret, so that receivers can verify requests")
        }
        if let weakness = SecretWeakness.found(in: Array(secret.utf8)) {
            let words = weakness.words(trying: "echo whsec_$(openssl rand -base64 32)")
            throw ValidationError("--webhook-secret: \(words)")
        }
    }

    private static let manager = ServiceManager(
        environment: ProcessEnvironment.variables, process: CurrentProcess.number)

    private var hooks: HookSettings {
        var hooks = HookSettings()
        hooks.webhook = self.webhook
        hooks.topics = self.webhookEvents.topics
        hooks.preSend = self.preSendHook
        hooks.secret = self.webhookSecret ?? ""
        hooks.preSendTime = self.preSendTimeout
        hooks.preSendSilence = self.preSendSilence
        return hooks
    }

    var service: ServiceConfiguration {
        var service = ServiceConfiguration()
        service.listen = self.listen
        service.manager = Self.manager
        service.admin = self.admin
        service.adminNames = self.adminName
        service.adminToken = self.adminToken == "off" ? nil : self.adminToken
        service.accounts.signIn = self.signIn
        service.secondSignIn = self.secondSignIn
        service.accounts.attempts.creation.free = self.newUsersPerAddress
        service.data = self.data.map { DataDirectory($0) } ?? .usual(environment: ProcessEnvironment.variables)
        service.tls = self.security.choice
        service.web = self.web
        service.drainTimeout = self.drainTimeout
        service.nodeAddress = self.nodeAddress
        service.loops = self.loops
        service.signallingLoops = self.signallingLoops
        service.crossOrigin = CrossOrigin(allowed: Set(self.allowOrigin))
        service.engine = EngineSettings(pingInterval: self.pingInterval, pingTimeout: self.pingTimeout)
        service.ringTime = self.ringTimeout
        service.callHistory = self.callHistory
        service.auditHistory = self.auditHistory
        service.messageHistory = self.messageHistory
        service.stun = self.stun?.choice ?? .besideServer
        service.turn = self.turn.configuration
        service.push = self.push.settings
        service.iceServers = self.iceServers
        service.environment = ProcessEnvironment.variables
        service.applications = self.app.map(\.key)
        for users in self.appUsers { service.applicationPrefixes[users.id] = users.prefix }
        service.openID = self.openID.settings
        service.outgoingNetworks = self.openID.outgoingAllow
        service.doors = self.doors.settings
        service.store = self.store?.address
        service.durability = self.durability
        service.files.store = self.fileStore.store
        service.files.measurer = CurrentProcess.program
        service.files.store?.passesThrough = self.filesThroughServer
        service.files.maximumBytes = self.largestFile.count
        service.files.allowance.bytes = self.filesPerUser.count
        service.files.allowance.files = self.fileCountPerUser
        service.messageBytesPerDay = self.messageBytesPerDay.count
        service.hooks = self.hooks
        service.servesConformance = self.conformance
        service.switchboard.requests = .init(
            perSecond: Double(self.requestRate), burst: Double(self.requestRate) * 4)
        service.arrivals.rate = .init(perSecond: Double(self.connectRate), burst: Double(self.connectRate) * 10)
        service.arrivals.maximumOpen = self.sessionsPerAddress
        service.maximumArrivalWait = self.arrivalWait
        // A client that polls has two connections.
        service.http.maximumConnectionsPerAddress = self.sessionsPerAddress * 2
        service.http.logsRequests = self.accessLog
        service.http.trustedProxies = TrustedProxies(self.trustedProxy)
        service.exposesTestEndpoints = self.testEndpoints
        return service
    }

    mutating func run() throws -> ExitCode {
        let configuration = self.service
        if let web = configuration.web, !StaticFiles.canServe(web) {
            throw CommandFailure("\(web): not a readable directory", exitCode: .noInput)
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
        } catch let error as SecretFileError {
            throw CommandFailure("\(error)", exitCode: .noInput)
        } catch let error as StoreError where error.reason == .damaged {
            throw CommandFailure("\(error)", exitCode: .dataError)
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
                parley users\(self.admin == ServiceConfiguration().admin ? "" : " --admin \(addresses.admin)")
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
