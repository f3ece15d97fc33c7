package import System

/// Samples that another program writes: 16 bits, little-endian, 48 kHz. It never waits for them.
package final class PipeFeed: SoundFeed {
    private let descriptor: FileDescriptor
    /// Bytes of one moment, of all its channels.
    private let moment: Int
    /// The beginning of a moment whose rest is still to come.
    private var rest: [UInt8] = []
    private var bytes: [UInt8] = []
    package private(set) var isOver = false

    package init(descriptor: FileDescriptor = .standardInput, channels: Int = 1) {
        self.descriptor = descriptor
        self.moment = 2 * channels
    }

    package func read(into sound: inout MutableSpan<Float>) -> Int {
        self.bytes.removeAll(keepingCapacity: true)
        self.bytes.append(contentsOf: self.rest)
        let wanted = 2 * sound.count
        while self.bytes.count < wanted, !self.isOver, self.descriptor.isReadable() {
            self.readMore(upTo: wanted - self.bytes.count)
        }
        let whole = self.bytes.count - self.bytes.count % self.moment
        self.rest = Array(self.bytes[whole...])
        let count = whole / 2
        for index in 0..<count {
            let sample = Int16(bitPattern: UInt16(self.bytes[2 * index]) | UInt16(self.bytes[2 * index + 1]) << 8)
            sound[index] = Float(sample) / 32768
        }
        return count
    }

    private func readMore(upTo count: Int) {
        let start = self.bytes.count
        self.bytes.append(contentsOf: repeatElement(0, count: count))
        var got = 0
        do throws(Errno) {
            got = try self.descriptor.read(into: &self.bytes, at: start..<start + count)
            self.isOver = got == 0
        } catch {
            self.isOver = error != .wouldBlock
        }
        self.bytes.removeLast(count - got)
    }
}
