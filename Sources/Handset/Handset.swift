internal import Pathways
package import Peer
package import Reactor
internal import Vocabulary

/// What one speaks into and listens with: at an even pace it takes sound from a feed for the other side, and gives what is
/// heard to all who want it.
package final class Handset {
    private let connection: PeerConnection
    private let reactor: Reactor
    private var feed: (any SoundFeed)?
    private let sinks: [any SoundSink]
    private let plays: Bool
    private var sound = [Float](repeating: 0, count: Handset.tickSamples)
    private var heard = [Float](repeating: 0, count: Handset.tickSamples / 2)
    private var timer: TimerToken?
    /// When the first tick was; the others follow it, however late one may be.
    private var start: Instant?
    private var ticks: Int64 = 0
    /// The feed has come to its end, or broke.
    package var onEnd: (() -> Void)?

    private static let tick = Duration.milliseconds(20)
    private static let tickSamples = 960

    /// - Parameters:
    ///   - feed: nil to send nothing.
    ///   - plays: theirs is decoded and heard.
    package init(
        _ connection: PeerConnection, on reactor: Reactor, feed: (any SoundFeed)?, sinks: [any SoundSink],
        plays: Bool = true
    ) {
        self.connection = connection
        self.reactor = reactor
        self.feed = feed
        self.sinks = sinks
        self.plays = plays
    }

    package func lift() {
        guard self.start == nil else { return }
        self.start = SteadyClock.now
        if self.feed != nil || self.plays { self.schedule() }
    }

    package func hangUp() {
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.feed = nil
        self.onEnd = nil
        self.takePayloads()
        for sink in self.sinks { sink.finish() }
    }

    /// Packets that came since the last time.
    package func takePayloads() {
        self.connection.takePayloads { payload in
            for sink in self.sinks { sink.received(payload) }
        }
    }

    private func schedule() {
        guard let start = self.start else { return }
        self.ticks += 1
        let next = start + Self.tick * Int(self.ticks)
        self.timer = self.reactor.schedule(after: max(.zero, SteadyClock.now.duration(to: next))) {
            self.timer = nil
            self.schedule()
            self.passTick()
        }
    }

    private func passTick() {
        self.speak()
        self.listen()
        self.takePayloads()
    }

    private func speak() {
        guard let feed = self.feed else { return }
        var sound: [Float] = []
        swap(&sound, &self.sound)
        defer { swap(&sound, &self.sound) }
        var span = sound.mutableSpan
        // A recording that breaks off ends there.
        let count = (try? feed.read(into: &span)) ?? 0
        if count > 0 { self.connection.speak(sound.span.extracting(first: count)) }
        guard feed.isOver || count == 0 && (feed is FileFeed) else { return }
        self.feed = nil
        self.onEnd.take()?()
    }

    private func listen() {
        guard self.plays else { return }
        var sound: [Float] = []
        swap(&sound, &self.heard)
        defer { swap(&sound, &self.heard) }
        // The buffer gives out ten milliseconds at a time.
        for _ in 0..<2 {
            var span = sound.mutableSpan
            self.connection.pull(into: &span)
            for sink in self.sinks { sink.heard(sound.span) }
        }
    }
}
