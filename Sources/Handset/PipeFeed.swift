#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Samples that another program writes: 16 bits, little-endian, 48 kHz. It never waits for them.
package final class PipeFeed: SoundFeed {
    private let descriptor: Int32
    /// Bytes of one moment, of all its channels.
    private let moment: Int
    /// The beginning of a moment whose rest is still to come.
    private var rest: [UInt8] = []
    private var bytes: [UInt8] = []
    package private(set) var isOver = false

    package init(descriptor: Int32 = STDIN_FILENO, channels: Int = 1) {
        self.descriptor = descriptor
        self.moment = 2 * channels
    }

    package func read(into sound: inout MutableSpan<Float>) -> Int {
        self.bytes.removeAll(keepingCapacity: true)
        self.bytes.append(contentsOf: self.rest)
        let wanted = 2 * sound.count
        while self.bytes.count < wanted, !self.isOver, self.hasMore { self.readMore(upTo: wanted - self.bytes.count) }
        let whole = self.bytes.count - self.bytes.count % self.moment
        self.rest = Array(self.bytes[whole...])
        let count = whole / 2
        for index in 0..<count {
            let sample = Int16(bitPattern: UInt16(self.bytes[2 * index]) | UInt16(self.bytes[2 * index + 1]) << 8)
            sound[index] = Float(sample) / 32768
        }
        return count
    }

    private var hasMore: Bool {
        var look = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&look, 1, 0) > 0
    }

    private func readMore(upTo count: Int) {
        let start = self.bytes.count
        self.bytes.append(contentsOf: repeatElement(0, count: count))
        let read = unsafe self.bytes.withUnsafeMutableBytes { buffer in
            unsafe readSystem(self.descriptor, buffer.baseAddress?.advanced(by: start), count)
        }
        self.bytes.removeLast(count - max(0, read))
        // An interrupted read is tried again with the next packet; the end is the end.
        if read == 0 || read < 0 && errno != EINTR && errno != EAGAIN { self.isOver = true }
    }
}

/// The system's `read`, where a method of the same name hides it.
private func readSystem(_ descriptor: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, target, count)
}
