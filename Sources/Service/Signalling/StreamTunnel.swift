internal import Reactor

/// Two streams of which each is given what the other one says, until one of them ends. Who reads slowly is waited for.
final class StreamTunnel {
    /// One end.
    final class End: StreamHandler {
        fileprivate let stream: any ByteStream
        fileprivate weak var other: End?
        private let onEnd: (() -> Void)?

        fileprivate init(_ stream: any ByteStream, _ onEnd: (() -> Void)?) {
            self.stream = stream
            self.onEnd = onEnd
        }

        func received(_ bytes: inout MutableSpan<UInt8>) {
            guard let other = self.other else { return self.stream.abort() }
            other.stream.write(bytes.span)
            if other.stream.queuedBytes > StreamTunnel.highWater { self.stream.pauseReading() }
        }

        func drained() { self.other?.stream.resumeReading() }

        func peerFinished() {
            self.other?.stream.close()
            self.stream.close()
        }

        func ended(_ end: StreamEnd) {
            self.other?.stream.close()
            self.other = nil
            self.onEnd?()
        }
    }

    /// Above it the other side is not read. The same at which a stream says later that it has drained.
    private static let highWater = WritePolicy().highWater

    /// - Parameter onEnd: called once the first of the two is no more.
    static func ends(_ one: any ByteStream, _ other: any ByteStream, onEnd: @escaping () -> Void) -> (End, End) {
        let ends = (End(one, onEnd), End(other, nil))
        (ends.0.other, ends.1.other) = (ends.1, ends.0)
        return ends
    }
}
