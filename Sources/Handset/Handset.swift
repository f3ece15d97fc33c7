package import System
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
    private let ownSinks: [any SoundSink]
    private let plays: Bool
    private let channels: Int
    /// For what is said, and for what is heard; made when there is sound to send or to play.
    private var sound: [Float] = []
    private var timer: TimerToken?
    private var pace: EvenPace?
    private var isOver = false
    /// The feed has come to its end, or broke.
    package var onEnd: (() -> Void)?

    /// A card speaks or hears here. It works in pieces of ten milliseconds, and nobody waits for a second one.
    private let isLive: Bool
    private static let tick = Duration.milliseconds(20)
    private static let liveTick = Duration.milliseconds(10)
    /// What the buffer gives out at a time.
    private static let pieceSamples = 480
    /// All that may have gathered behind a microphone.
    private static let maximumLivePieces = 4

    /// - Parameters:
    ///   - feed: nil to send nothing.
    ///   - sinks: who gets what is heard.
    ///   - ownSinks: who gets what is said, at the same times.
    ///   - plays: theirs is decoded and heard.
    ///   - channels: of all sound here; the connection is set to as many.
    package init(
        _ connection: PeerConnection, on reactor: Reactor, feed: (any SoundFeed)?, sinks: [any SoundSink],
        ownSinks: [any SoundSink] = [], plays: Bool = true, channels: Int = 1
    ) {
        self.connection = connection
        self.reactor = reactor
        self.feed = feed
        self.sinks = sinks
        self.ownSinks = ownSinks
        self.plays = plays
        self.channels = channels
        self.isLive = feed?.isLive == true || sinks.contains(where: \.isLive)
    }

    /// What was to be kept and could not be.
    package var failures: [SystemError] { (self.sinks + self.ownSinks).compactMap(\.failure) }

    /// Something is left to be said.
    package var isSpeaking: Bool { self.feed != nil }

    package func lift() {
        guard self.pace == nil, !self.isOver else { return }
        let now = SteadyClock.now
        self.pace = EvenPace(self.isLive ? Self.liveTick : Self.tick, from: now)
        for sink in self.sinks + self.ownSinks { sink.began(at: now) }
        guard self.feed != nil || self.plays else { return }
        let said = self.feed?.isLive == true ? Self.maximumLivePieces : self.piecesPerTick
        self.sound = [Float](repeating: 0, count: said * Self.pieceSamples * self.channels)
        self.schedule()
    }

    package func hangUp() {
        guard !self.isOver else { return }
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.feed = nil
        self.onEnd = nil
        self.takePayloads()
        self.isOver = true
        for sink in self.sinks + self.ownSinks { sink.finish() }
    }

    /// Packets that came since the last time.
    package func takePayloads() {
        // What is finished is not added to.
        guard !self.isOver else { return }
        self.connection.takePayloads { payload in
            for sink in self.sinks { sink.received(payload) }
        }
    }

    private func schedule() {
        guard let wait = self.pace?.wait(at: SteadyClock.now) else { return }
        self.timer = self.reactor.schedule(after: wait) {
            self.timer = nil
            self.schedule()
            self.passTick()
        }
    }

    private var piecesPerTick: Int { self.isLive ? 1 : 2 }

    private func passTick() {
        // What a microphone heard beside the sound of this moment is said in this moment.
        if self.isLive { self.listen() }
        self.speak()
        if !self.isLive { self.listen() }
        self.takePayloads()
    }

    private func speak() {
        var sound: [Float] = []
        swap(&sound, &self.sound)
        defer { swap(&sound, &self.sound) }
        let count = self.fill(&sound)
        if count > 0 { self.connection.speak(sound.span.extracting(first: count)) }
        guard !self.ownSinks.isEmpty else { return }
        for index in count..<sound.count { sound[index] = 0 }
        // A microphone fills its time itself.
        let kept = self.feed?.isLive == true ? count : sound.count
        for sink in self.ownSinks { sink.heard(sound.span.extracting(first: kept)) }
    }

    /// A recording that breaks off ends there.
    private func fill(_ sound: inout [Float]) -> Int {
        guard let feed = self.feed else { return 0 }
        var span = sound.mutableSpan
        let count = try? feed.read(into: &span)
        if feed.isOver || count == nil {
            self.feed = nil
            self.onEnd.take()?()
        }
        return count ?? 0
    }

    private func listen() {
        guard self.plays, !self.isOver else { return }
        var sound: [Float] = []
        swap(&sound, &self.sound)
        defer { swap(&sound, &self.sound) }
        let count = Self.pieceSamples * self.channels
        for _ in 0..<self.piecesPerTick {
            var span = sound.mutableSpan
            var piece = span._mutatingExtracting(first: count)
            self.connection.pull(into: &piece)
            for sink in self.sinks { sink.heard(sound.span.extracting(first: count)) }
        }
    }
}
