package import System
package import Peer
internal import Vocabulary

/// The packets of calls in a file for others to look into.
package final class CaptureFile {
    private let file: RecordingFile
    private var capture = PacketCapture()
    /// The time of day at the zero of the clock that packets are told with, in nanoseconds.
    private let origin: Int64

    package init(path: String, origin: Int64) throws(SystemError) {
        self.file = try RecordingFile(path, startingWith: self.capture.takeOutput())
        self.origin = origin
    }

    package var failure: SystemError? { self.file.failure }

    /// For one call, whose name stands beside each of its packets.
    package func tap(for call: String?) -> any PacketTap { Tap(self, call.map { "call \($0)" }) }

    private func add(
        _ packet: Span<UInt8>, from source: SocketAddress, to target: SocketAddress, at now: Instant, _ comment: String?
    ) {
        let time = UInt64(max(0, self.origin + now.nanoseconds))
        self.capture.add(packet, from: source, to: target, time: time, comment: comment)
        self.file.append(self.capture.takeOutput())
    }

    private final class Tap: PacketTap {
        private let file: CaptureFile
        private let comment: String?

        init(_ file: CaptureFile, _ comment: String?) {
            self.file = file
            self.comment = comment
        }

        func passed(_ packet: Span<UInt8>, from source: SocketAddress, to target: SocketAddress, at now: Instant) {
            self.file.add(packet, from: source, to: target, at: now, self.comment)
        }
    }
}
