internal import HTTPServer
internal import Identity
internal import Journal
internal import Reactor
internal import Secure
internal import System
internal import Vocabulary

/// The loop that the TURN server lives on, which is another than signalling's where there are several.
final class TURNHost: Sendable {
    private let loop: EventLoop
    private let slots: LoopLocal<Slot>

    private final class Slot {
        var service: TURNService?
    }

    init(_ group: EventLoopGroup) {
        self.loop = group.loops[group.loops.count - 1]
        self.slots = LoopLocal(group) { _ in Slot() }
    }

    /// Waits until the ports are open, which takes no time: only while the service starts.
    ///
    /// - Parameter reactor: of the loop that asks.
    func open(
        _ configuration: TURNConfiguration, on address: SocketAddress, secret: [UInt8], _ registry: MetricsRegistry,
        certificate: @escaping @Sendable () -> TLSContext?, from reactor: Reactor
    ) throws(ReactorError) -> BuiltInICEServers {
        let slots = self.slots
        let open: @Sendable (Reactor) -> Result<BuiltInICEServers, ReactorError> = { reactor in
            Result { () throws(ReactorError) in
                let service = try TURNService(
                    configuration, on: address, secret: secret, certificate: certificate, reactor)
                service.meters = TURNMetrics(in: registry)
                slots.value(on: reactor).service = service
                return BuiltInICEServers(
                    port: service.address.port,
                    turn: .init(
                        secret: secret, hasStreams: service.hasStreams, quota: service.quota,
                        ended: { seat in self.withService { $0.end(seat) } }))
            }
        }
        guard self.loop !== reactor.loop else { return try open(reactor).get() }
        let outcome = Locked<Result<BuiltInICEServers, ReactorError>?>(nil)
        let done = Gate()
        self.loop.execute { reactor in
            outcome.withLock { [result = open(reactor)] in $0 = result }
            done.open()
        }
        done.wait()
        guard let result = outcome.withLock({ $0 }) else { preconditionFailure("the loop did not answer") }
        return try result.get()
    }

    /// A client that came to the HTTPS port.
    func take(_ stream: DetachedStream) {
        self.withService { service in
            try? stream.resume(on: service.reactor) { service.accept($0) }
        }
    }

    func drain() { self.withService { $0.drain() } }

    func identityChanged(_ change: IdentityChange) {
        switch change {
        case .userRevoked(let user, _), .banned(let user, _), .deleted(let user): self.withService { $0.end(user) }
        case .tokenRevoked, .familyEnded, .unbanned: break
        }
    }

    private func withService(_ body: @escaping @Sendable (TURNService) -> Void) {
        let slots = self.slots
        self.loop.execute { reactor in
            if let service = slots.value(on: reactor).service { body(service) }
        }
    }
}
