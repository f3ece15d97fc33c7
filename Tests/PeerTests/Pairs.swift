import ICE
import Negotiating
import Pathways
import Peer
import Reactor
import Vocabulary

/// Two connections of one program after the other, over real sockets, with signals that take no time.
final class Pairs: PeerConnectionHandler, @unchecked Sendable {
    // Unchecked because it is touched on its loop only, after it was made.
    private let wanted: Int
    private var done: (([Duration]?) -> Void)?
    private let factory: PeerConnectionFactory
    private let reactor: Reactor
    private var times: [Duration] = []
    private var pair: [PeerConnection] = []
    private var start = SteadyClock.now

    /// - Parameter done: hears how long each took until both sides were connected; nil when one was not.
    init(_ wanted: Int, on reactor: Reactor, done: @escaping ([Duration]?) -> Void) throws {
        self.wanted = wanted
        self.reactor = reactor
        self.done = done
        self.factory = try PeerConnectionFactory(on: reactor)
    }

    func begin() {
        self.start = SteadyClock.now
        self.pair = (0..<2).map { _ in
            self.factory.make(PeerSettings(), servers: FoundServers(), handler: self)
        }
        self.pair[0].addTransceiver()
        self.pair[1].addTrack()
        do {
            let offer = try self.pair[0].createOffer()
            try self.pair[0].setLocalDescription(.offer, offer)
            try self.pair[1].setRemoteDescription(.offer, offer)
            let answer = try self.pair[1].createAnswer()
            try self.pair[1].setLocalDescription(.answer, answer)
            try self.pair[0].setRemoteDescription(.answer, answer)
        } catch {
            self.end(nil)
        }
    }

    func happened(_ event: PeerEvent, at connection: PeerConnection) {
        switch event {
        case .candidate(let candidate, _, _): self.other(than: connection)?.addIceCandidate(candidate.text)
        case .stateChanged(.failed): self.end(nil)
        case .stateChanged(.connected):
            guard self.pair.allSatisfy({ $0.connectionState == .connected }) else { return }
            self.times.append(self.start.duration(to: SteadyClock.now))
            // Not from within what the connection tells.
            self.reactor.schedule(after: .zero) { self.next() }
        default: return
        }
    }

    private func other(than connection: PeerConnection) -> PeerConnection? {
        self.pair.first { $0 !== connection }
    }

    private func next() {
        for connection in self.pair { connection.close() }
        if self.times.count == self.wanted { self.end(self.times) } else { self.begin() }
    }

    private func end(_ times: [Duration]?) {
        guard let done = self.done.take() else { return }
        for connection in self.pair { connection.close() }
        self.factory.close()
        done(times)
    }
}
