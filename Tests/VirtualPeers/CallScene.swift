internal import ICE
package import Peer
package import Secure
package import TestSupport
internal import Vocabulary

/// Two callers and a network between them.
package struct CallScene {
    /// One for all: keys take longer to make than everything else here.
    package static let contexts: [DTLSContext] = (0..<2).compactMap { _ in
        (try? SelfSignedIdentity(names: ["peer"])).flatMap { try? DTLSContext(peerWith: $0) }
    }

    package let network: VirtualNetwork
    package let caller: VirtualCaller
    package let callee: VirtualCaller

    package init(
        seed: UInt64 = 1, delay: Duration = .milliseconds(50), loss: Double = 0, signalling: Duration = .zero,
        settings: PeerSettings = PeerSettings(), calleeSettings: PeerSettings? = nil
    ) {
        let network = VirtualNetwork(seed: seed)
        self.network = network
        let link = LinkProfile(delay: delay / 2, loss: loss > 0 ? .random(1 - (1 - loss).squareRoot()) : .none)
        let hosts = (0..<2).map { network.addHost(.v4(0xCB00_7105 + $0), link: link, down: link) }
        self.caller = VirtualCaller(settings, Self.contexts[0], on: self.network, hosts[0], signalling: signalling)
        self.callee = VirtualCaller(
            calleeSettings ?? settings, Self.contexts[1], on: self.network, hosts[1], signalling: signalling)
        self.caller.other = self.callee
        self.callee.other = self.caller
    }

    /// One of them rings, both have something to say.
    package func connect() throws {
        try self.connectToEcho()
        self.callee.talk()
    }

    /// The caller alone has something to say.
    package func connectToEcho() throws {
        self.caller.session.addTransceiver()
        self.callee.session.addTransceiver(isForTrack: true)
        try self.caller.offer()
        self.caller.talk()
    }

    package var callers: [VirtualCaller] { [self.caller, self.callee] }

    package func run(until milliseconds: Int64, isDone: () -> Bool) -> Bool {
        self.network.run(until: Instant(milliseconds: milliseconds), isDone: isDone)
    }
}
