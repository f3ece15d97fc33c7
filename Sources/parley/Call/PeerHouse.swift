import Arguments
import Client
import Handset
import Pathways
import Peer
import Reactor

/// Makes the connections of one program, with the servers that are good for them.
final class PeerHouse {
    let reactor: Reactor
    private let factory: PeerConnectionFactory
    private let plan: CallPlan
    private var servers = FoundServers()
    private var finder: ServerFinder?
    private let capture: CaptureFile?

    init(_ plan: CallPlan, on reactor: Reactor) throws {
        self.capture = try CaptureFile.open(plan.capture)
        self.plan = plan
        self.reactor = reactor
        self.factory = try PeerConnectionFactory(on: reactor)
    }

    /// Looks up the servers of a file, or else those that are advised.
    func find(_ advised: [AdvisedServer], done: @escaping () -> Void) {
        let finder = ServerFinder(of: self.plan.servers ?? advised, on: self.reactor)
        self.finder = finder
        finder.find { found in
            self.servers = found
            self.finder = nil
            done()
        }
    }

    /// - Parameters:
    ///   - begins: this side offers.
    ///   - sinks: who gets what is heard, besides a listener.
    func open(
        begins: Bool, feed: (any SoundFeed)?, sinks: [any SoundSink],
        signal: @escaping (Signal.Content) -> Void, told: @escaping (PeerEvent) -> Void
    ) -> PeerLink {
        let echo = self.plan.echoesDecoded ? DecodedEcho() : nil
        let link = PeerLink(
            { self.factory.make(self.plan.settings, servers: self.servers, handler: $0) }, begins: begins,
            feed: echo ?? feed, sinks: sinks + [echo].compactMap(\.self), plays: self.plan.settings.sound.isPlayed,
            on: self.reactor, signal: signal, told: told)
        if let capture = self.capture { link.connection.setTap(capture) }
        return link
    }

    func close() { self.factory.close() }
}
