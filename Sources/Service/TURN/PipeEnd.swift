internal import HTTPServer
internal import Reactor
internal import TURN

/// One of two streams whose bytes go to each other: no faster than the other one takes them, nor than the user may be. When one
/// ends, the other one does when it has everything.
final class PipeEnd: StreamHandler {
    private let stream: any ByteStream
    private let user: TURNUser
    private let carried: (Int) -> Void
    private let ended: () -> Void
    private weak var other: PipeEnd?
    /// Why nothing is read just now.
    private var waitsForOther = false
    private var wait: TimerToken?

    private static let maximumQueuedBytes = WritePolicy().highWater

    /// - Parameters:
    ///   - carried: is told how many bytes have come by this stream.
    ///   - ended: is told once, when this stream is over.
    init(
        _ stream: any ByteStream, _ user: TURNUser, carried: @escaping (Int) -> Void, ended: @escaping () -> Void = {}
    ) {
        self.stream = stream
        self.user = user
        self.carried = carried
        self.ended = ended
    }

    static func join(_ one: PipeEnd, _ other: PipeEnd) {
        (one.other, other.other) = (other, one)
        one.stream.replaceHandler(with: one)
        other.stream.replaceHandler(with: other)
        other.updateReading()
    }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        guard let other = self.other, bytes.count > 0 else { return }
        other.stream.write(bytes.span)
        self.carried(bytes.count)
        self.waitsForOther = other.stream.queuedBytes > Self.maximumQueuedBytes
        self.pay(bytes.count)
        self.updateReading()
    }

    /// What has come is passed on; more is read when the user may have had it.
    private func pay(_ count: Int) {
        guard let pause = self.user.pause(before: count, at: self.stream.reactor.instant) else { return }
        if let wait = self.wait { self.stream.reactor.cancel(wait) }
        self.wait = self.stream.reactor.schedule(after: pause) { [weak self] in
            self?.wait = nil
            self?.pay(count)
            self?.updateReading()
        }
    }

    private func updateReading() {
        if self.waitsForOther || self.wait != nil { self.stream.pauseReading() } else { self.stream.resumeReading() }
    }

    func drained() {
        self.other?.waitsForOther = false
        self.other?.updateReading()
    }

    func peerFinished() { self.stream.close() }

    func ended(_ end: StreamEnd) {
        if let wait = self.wait.take() { self.stream.reactor.cancel(wait) }
        self.other?.stream.close()
        self.ended()
    }
}
