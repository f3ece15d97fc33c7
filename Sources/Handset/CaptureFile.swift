package import System
internal import Peer
package import Vocabulary

/// The packets of calls in a file for others to look into.
package final class CaptureFile: PacketTap {
    private let file: RecordingFile
    private var capture = PacketCapture()
    /// The time of day at the zero of the clock that packets are told with, in nanoseconds.
    private let origin: Int64

    package init(path: String, origin: Int64) throws(SystemError) {
        self.file = try RecordingFile(path, startingWith: self.capture.takeOutput())
        self.origin = origin
    }

    package var failure: SystemError? { self.file.failure }

    package func passed(_ packet: Span<UInt8>, from source: SocketAddress, to target: SocketAddress, at now: Instant) {
        self.capture.add(packet, from: source, to: target, time: UInt64(max(0, self.origin + now.nanoseconds)))
        self.file.append(self.capture.takeOutput())
    }
}
