internal import HTTPServer
internal import Identity
internal import Operations
internal import Reactor
internal import Switchboard
internal import Vocabulary

/// A request that stays for a while: until it is answered, its client goes, its token ends or is called back, or the
/// server stops.
final class StandingVisit {
    let identity: Identity
    private let exchange: HTTPExchange
    private let visits: StandingVisits
    private var ended: ((RequestError?) -> Void)?
    private var timer: TimerToken?

    /// - Parameter ended: is told why it should not stay; nil when the client has gone. At most once, and not after `leave`.
    init(_ visit: APIVisit, _ identity: Identity, ended: @escaping (RequestError?) -> Void) {
        self.identity = identity
        self.exchange = visit.exchange
        self.visits = visit.desk.standing
        self.ended = ended
        self.visits.add(self)
        self.exchange.onAbandoned = { [weak self] in self?.end(nil) }
        self.exchange.onPeerFinished = { [weak self] in self?.end(nil) }
        let left = max(0, identity.expiry.milliseconds - SystemClock.now().milliseconds)
        self.timer = self.exchange.reactor.schedule(after: .milliseconds(left)) { [weak self] in
            self?.end(RequestError(.tokenExpired, "the token has ended"))
        }
    }

    func end(_ error: RequestError?) {
        let ended = self.ended
        self.leave()
        ended?(error)
    }

    /// There is nothing to wait for any more.
    func leave() {
        self.ended = nil
        self.visits.remove(self)
        self.exchange.onAbandoned = nil
        self.exchange.onPeerFinished = nil
        if let timer = self.timer.take() { self.exchange.reactor.cancel(timer) }
    }
}

/// All of them, on the home loop.
final class StandingVisits {
    private var visits: [ObjectIdentifier: StandingVisit] = [:]

    func add(_ visit: StandingVisit) { self.visits[ObjectIdentifier(visit)] = visit }
    func remove(_ visit: StandingVisit) { self.visits[ObjectIdentifier(visit)] = nil }

    func end(_ error: RequestError, where isMeant: (Identity) -> Bool) {
        for visit in Array(self.visits.values) where isMeant(visit.identity) { visit.end(error) }
    }
}
