#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Samples for another program: 16 bits, little-endian, 48 kHz. What it does not take in time is lost, as sound is that nobody
/// listens to.
package final class PipeSink: SoundSink {
    private let descriptor: Int32
    private var bytes: [UInt8] = []
    package private(set) var lostSamples = 0
    private var isBroken = false

    package init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
    }

    package func heard(_ sound: Span<Float>) {
        guard !self.isBroken else { return }
        self.bytes.removeAll(keepingCapacity: true)
        for index in sound.indices {
            let sample = Int16(max(-1, min(1, sound[index])) * 32767)
            self.bytes.append(UInt8(truncatingIfNeeded: sample))
            self.bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        guard self.hasRoom else {
            self.lostSamples += sound.count
            return
        }
        let written = unsafe write(self.descriptor, self.bytes, self.bytes.count)
        if written < 0, errno != EINTR, errno != EAGAIN { self.isBroken = true }
    }

    private var hasRoom: Bool {
        var look = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&look, 1, 0) > 0
    }
}
