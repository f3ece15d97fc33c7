package import AudioStreams
package import ICE
internal import MediaStreams
package import VideoStreams
package import Vocabulary

// MARK: - Sound

extension CallSession {
    /// Lets a line that sends sound do so; what comes of it leaves at once.
    private mutating func withSpeaker<Result>(
        on transceiver: Int, at now: Instant, into outbox: inout Outbox<ICEEvent>,
        _ body: (AudioLine, inout LineWork) -> Result
    ) -> Result? {
        guard self.transport.isOpen, let line = self.media.speaker(on: transceiver) else { return nil }
        defer { self.flush(at: now, into: &outbox) }
        return self.media.withWork { body(line, &$0) }
    }

    /// Sound of ours, 48 kHz; whole packets of it leave at once.
    package mutating func speak(
        _ sound: Span<Float>, on transceiver: Int = 0, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.withSpeaker(on: transceiver, at: now, into: &outbox) { $0.speak(sound, at: now, into: &$1.outbox) }
    }

    /// A packet of Opus as it is.
    package mutating func forward(
        _ opus: Span<UInt8>, duration: Int, on transceiver: Int = 0, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) {
        self.withSpeaker(on: transceiver, at: now, into: &outbox) {
            $0.forward(opus, duration: duration, at: now, into: &$1.outbox)
        }
    }

    /// How many keys will be heard: none where the other side does not know them, or nothing is sent.
    package mutating func press(
        _ keys: String, on transceiver: Int = 0, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) -> Int {
        self.withSpeaker(on: transceiver, at: now, into: &outbox) { $0.press(keys, at: now, into: &$1.outbox) } ?? 0
    }

    package var isDialling: Bool { self.media.isDialling }

    /// What comes next of theirs, mostly ten milliseconds; silence where nothing is received.
    package mutating func pull(into sound: inout MutableSpan<Float>, on transceiver: Int = 0, at now: Instant) {
        self.media.pull(into: &sound, on: transceiver, at: now)
    }

    /// Theirs as it came, in its order.
    package func nextPayload(on transceiver: Int = 0, at now: Instant) -> AudioPayload? {
        self.media.audio(on: transceiver)?.nextPayload(at: now)
    }

    package func recycle(_ payload: AudioPayload, on transceiver: Int = 0) {
        self.media.audio(on: transceiver)?.recycle(payload)
    }

}

// MARK: - Pictures

extension CallSession {
    /// A packet that another call has lent.
    package mutating func forward(
        _ packet: VideoPacket, on transceiver: Int, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard self.transport.isOpen, let line = self.media.video(on: transceiver) else { return }
        self.media.withWork { line.forward(packet.header, packet.payload.span, at: now, &$0) }
        self.flush(at: now, into: &outbox)
    }

    /// Theirs as they came.
    package func takePictures(of transceiver: Int) -> [VideoPacket] {
        self.media.video(on: transceiver)?.takeLent() ?? []
    }

    package func recycle(_ packet: VideoPacket, of transceiver: Int) {
        self.media.video(on: transceiver)?.recycle(packet)
    }

    /// Theirs are wanted from a picture on that needs no other; they are asked as often as is sensible.
    package mutating func requestKeyFrame(
        of transceiver: Int, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard self.transport.isOpen, let line = self.media.video(on: transceiver) else { return }
        self.media.withWork { line.requestKeyFrame(at: now, &$0) }
        self.flush(at: now, into: &outbox)
    }
}
