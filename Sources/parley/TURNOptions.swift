internal import Arguments
internal import Secure
internal import Service
internal import Vocabulary

/// The TURN server in the box, as options of `serve`.
struct TURNOptions: ParsableArguments {
    @Option(
        help: """
            Whether calls are relayed, on the address of --stun over UDP and TCP; auto: where other machines can reach it.
            """)
    var turn = TURNConfiguration().mode

    @Option(
        help: ArgumentHelp("Public address of a NAT before this machine, for relays.", valueName: "IP"))
    var turnExternalAddress: IPAddress?

    @Option(help: "Ports that relays are opened on.")
    var turnPorts = PortRange(TURNConfiguration().ports)

    @Option(
        help: ArgumentHelp(
            "Private network that relays may send to, such as 10.0.0.0/8.",
            valueName: "NET"))
    var turnAllowPeer: [IPNetwork] = []

    @Option(
        help: ArgumentHelp(
            "Secret that applications make TURN credentials with, at least 32 bytes; users get theirs without it.",
            valueName: "SECRET"))
    var turnSecret: String?

    @Option(help: "How many bytes a second are relayed for one user.")
    var turnRate = ByteCount(TURNConfiguration().bytesPerSecondPerUser)

    func validate() throws(ValidationError) {
        if let weakness = self.turnSecret.flatMap({ SecretWeakness.found(in: Array($0.utf8)) }) {
            throw ValidationError("--turn-secret: \(weakness)")
        }
        if self.turnRate.count < 1 { throw ValidationError("--turn-rate must be at least 1") }
    }

    var configuration: TURNConfiguration {
        var configuration = TURNConfiguration()
        configuration.mode = self.turn
        configuration.externalAddress = self.turnExternalAddress
        configuration.ports = self.turnPorts.ports
        configuration.allowedPeers = self.turnAllowPeer
        configuration.secret = self.turnSecret
        configuration.bytesPerSecondPerUser = self.turnRate.count
        return configuration
    }
}

extension TURNConfiguration.Mode: ExpressibleByArgument {
    package init?(argument: String) { self.init(rawValue: argument) }
    package static var valueName: String? { "auto|on|off" }
    package static var expectation: String { "auto, on or off" }
    package var argumentDescription: String { self.rawValue }
}

/// `49152-65535`
struct PortRange: Hashable, Sendable, ExpressibleByArgument {
    let ports: ClosedRange<UInt16>

    init(_ ports: ClosedRange<UInt16>) { self.ports = ports }

    init?(argument: String) {
        let ends = argument.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = UInt16(ends[0]), let last = UInt16(ends[1]), first > 0, first <= last else {
            return nil
        }
        self.ports = first...last
    }

    static var valueName: String? { "FIRST-LAST" }
    static var expectation: String { "two ports such as 49152-65535" }
    var argumentDescription: String { "\(self.ports.lowerBound)-\(self.ports.upperBound)" }
}
