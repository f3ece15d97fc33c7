package import Client
package import ACME
package import HTTPServer
package import Identity
package import Sessions
package import Keeping
package import Switchboard
internal import Calling
package import Pacing
package import PostgresLink
package import Reactor
package import Vocabulary
internal import Web

/// Everything a service is told before it starts.
package struct ServiceConfiguration: Sendable {
    package enum TLS: Hashable, Sendable {
        case off
        case files(certificate: String, key: String)
        /// Made by the server, and kept in the data directory.
        case selfSigned
        /// Obtained from an authority, renewed in time, and kept in the data directory.
        case acme(ACMESettings)
    }

    /// Where clients come; the first one is what people are told.
    package var listen = [SocketAddress(.loopback, port: 8080)]
    /// Who started the service; sockets from there take the place of `listen`, and one named `admin` that of `admin`.
    package var manager = ServiceManager()
    /// Health and metrics, off the public port.
    package var admin = SocketAddress(.loopback, port: 8081)
    /// What a request to the admin listener has to bring; nil asks for nothing.
    package var adminToken: String?
    /// Names by which the admin listener is reached, besides its address and `localhost`.
    package var adminNames: [String] = []
    package var data = DataDirectory("parley-data")
    package var tls = TLS.off
    /// How long what is under way may take once the service is asked to stop.
    package var drainTimeout = Duration.seconds(10)
    /// Where other nodes on the same database find this one; nil where they find it by the address that it listens on.
    package var nodeAddress: ServerURL?
    /// Nil for one on each core.
    package var loops: Int?
    /// On how many of them sessions live.
    package var signallingLoops = 1
    /// A folder of web pages to serve.
    package var web: String?
    package var crossOrigin = CrossOrigin()
    package var http = HTTPServerSettings()
    /// The heartbeat of Socket.IO clients, and how much they may send at once.
    package var engine = EngineSettings() {
        didSet { self.switchboard.rooms.lease = self.engine.pingTimeout }
    }
    /// How often one address may begin a session, and how many it may have.
    package var arrivals = SessionAdmission.Limits()
    /// How long one waits until it is let in, when many arrive at once; who would wait for longer is told to come later
    package var maximumArrivalWait = Duration.seconds(5)
    package var accounts = AccountSettings()
    package var switchboard = SwitchboardSettings()
    /// The database in which everything but files is kept; without one, a file in the data directory.
    package var store: PostgresAddress?
    /// What a commit of the store outlives.
    package var durability = StoreDurability.full
    /// What all tokens are signed with; without one, the data directory keeps one.
    package var secret: String?
    /// Programs on other servers that vouch for users.
    package var applications: [ApplicationKey] = []
    /// How the ids of an application's users and orders begin, by the application's name.
    package var applicationPrefixes: [String: String] = [:]
    /// Where people sign in who have an account elsewhere.
    package var openID: OpenIDSettings?
    /// Networks outside the public internet that a URL of somebody else may lead to.
    package var outgoingNetworks: [IPNetwork] = []
    /// How long it is kept who called whom.
    package var callHistory = Duration.seconds(90 * 86_400)
    /// How long it is kept what operators and moderators did.
    package var auditHistory = Duration.seconds(365 * 86_400)
    /// What people may keep here.
    package var files = FileSettings()
    /// What one user may say in a day, in all conversations together.
    package var messageBytesPerDay = 256 << 20
    /// What becomes of a user who connects twice.
    package var secondSignIn = SecondSignIn.together
    /// Other programs that hear of what is said, or have a say in it.
    package var hooks = HookSettings()
    /// How devices that sleep are woken.
    package var push = PushSettings() {
        didSet { self.switchboard.calls.wakesDevices = self.push.isOn }
    }
    /// Which kinds of clients from elsewhere are let in.
    package var doors = DoorSettings()
    /// How long it is kept what was said, where a conversation does not say less; nil for ever.
    package var messageHistory: Duration?
    package var stun = STUN.besideServer
    /// Where STUN is served, relays may be, too.
    package var turn = TURNConfiguration()
    /// Which other STUN and TURN servers clients are told of; `ice-servers.json` in the data directory by itself.
    package var iceServers: String?
    /// The file that says so.
    package var iceServerFile: String { self.iceServers ?? self.data.path(of: DataDirectory.iceServers) }
    /// Where `env:NAME` is looked up.
    package var environment: [String: String] = [:]
    /// The official suites of Socket.IO and Engine.IO find what they expect, instead of signalling.
    package var servesConformance = false
    /// Echo and broadcast endpoints for conformance suites and benchmarks; never for a service in earnest.
    package var exposesTestEndpoints = false

    /// Tokens that a door hands out count while it is open.
    var accountSettings: AccountSettings {
        var settings = self.accounts
        settings.acceptsVouched = self.doors.vouches
        return settings
    }

    /// Where the built-in STUN service listens.
    package enum STUN: Hashable, Sendable {
        case off
        /// On the server's own address, on STUN's own port.
        case besideServer
        case at(SocketAddress)
    }

    private static let usualSTUNPort: UInt16 = 3478

    /// How long a call rings until it counts as not answered.
    package var ringTime: Duration {
        get { self.switchboard.calls.ringTime }
        set { self.switchboard.calls.ringTime = newValue }
    }

    /// Whether clients of IPv4 come to this address of IPv6 as well: `[::]`, unless IPv4 has its own address on that port.
    func takesBoth(_ address: SocketAddress) -> Bool {
        guard address.ip == .any6 else { return false }
        return !self.listen.contains { $0.ip.groups == nil && $0.port == address.port && $0.port != 0 }
    }

    func stunAddresses(beside listeners: [SocketAddress]) -> [SocketAddress] {
        switch self.stun {
        case .off: return []
        case .at(let address): return [address]
        case .besideServer:
            let both = listeners.contains { self.takesBoth($0) } ? [IPAddress.any] : []
            var seen = Set<IPAddress>()
            return (listeners.map(\.ip) + both).filter { seen.insert($0).inserted }
                .map { SocketAddress($0, port: Self.usualSTUNPort) }
        }
    }

    package struct ApplicationKey: Hashable, Sendable {
        package enum Material: Hashable, Sendable {
            case secret(String)
            /// Of an Ed25519 key pair whose other half never leaves the program.
            case publicKey([UInt8])
            /// The same of P-256, a point that is not compressed.
            case publicPoint([UInt8])
        }

        package let id: String
        package let material: Material

        package init(id: String, _ material: Material) {
            self.id = id
            self.material = material
        }
    }

    package init() {}

    /// A WebSocket message may be as large as a polling body. Conformance suites send messages of 16 MiB, some in tens
    /// of thousands of pieces, and want them back.
    var effectiveHTTP: HTTPServerSettings {
        var http = self.http
        http.webSocketLimits.maximumMessageBytes = self.engine.maxPayload
        if self.tls.isTrusted { http.demandsTLS = true }
        guard self.exposesTestEndpoints else { return http }
        http.webSocketLimits.maximumMessageBytes = max(http.webSocketLimits.maximumMessageBytes, 16 << 20)
        http.webSocketLimits.maximumFrameBytes = max(http.webSocketLimits.maximumFrameBytes, 16 << 20)
        http.webSocketLimits.maximumFragments = max(http.webSocketLimits.maximumFragments, 1 << 17)
        http.writePolicy.limit = max(http.writePolicy.limit, 32 << 20)
        return http
    }
}

extension ServiceConfiguration.TLS {
    /// Whether clients trust the certificate without being told to.
    var isNone: Bool {
        if case .off = self { true } else { false }
    }

    var isTrusted: Bool {
        switch self {
        case .files, .acme: true
        case .off, .selfSigned: false
        }
    }
}
