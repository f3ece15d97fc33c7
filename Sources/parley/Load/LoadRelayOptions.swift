import Arguments
import ICE
import ICEServers
import Load
import Pathways

/// What goes through a TURN server.
struct LoadRelayOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Allocations; pairs of them send packets to each other.", valueName: "NUMBER"))
    var relays = 0

    @Option(help: ArgumentHelp("TURN server; default: the one that the server advises its users.", valueName: "URL"))
    var turn: String?

    @Option(help: ArgumentHelp("User name for it.", valueName: "NAME"))
    var username: String?

    @Option(help: ArgumentHelp("Password for it.", valueName: "TEXT"))
    var credential: String?

    @Option(help: ArgumentHelp("Packets a second of each allocation.", valueName: "RATE"))
    var relayRate = 50.0

    @Option(help: ArgumentHelp("Size of a relayed packet.", valueName: "BYTES"))
    var relaySize = 172

    func validate() throws(ValidationError) {
        _ = try self.server()
        try LoadCommand.check(("relays", Double(self.relays)), ("relay-rate", self.relayRate))
        if !(24...1200).contains(self.relaySize) { throw ValidationError("--relay-size must be 24 to 1200") }
    }

    func write(to plan: inout LoadPlan) {
        // One alone has nobody to talk to.
        (plan.relays.count, plan.relays.packetBytes) = (self.relays / 2 * 2, self.relaySize)
        plan.relays.packetsPerSecond = self.relayRate
        plan.relays.server = (try? self.server()) ?? nil
        plan.relays.read = { $0.advised }
    }

    private func server() throws(ValidationError) -> AdvisedServer? {
        guard let text = self.turn else { return nil }
        guard let url = ICEServerURL(text), url.scheme.needsCredentials else {
            throw ValidationError("--turn: a URL such as turn:host:3478 or turns:host?transport=tcp is needed")
        }
        guard let username = self.username, let credential = self.credential else {
            throw ValidationError("--turn needs --username and --credential")
        }
        return AdvisedServer(url, account: TURNAccount(username: username, password: credential))
    }
}
