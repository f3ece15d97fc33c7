package import System

/// Samples for another program: 16 bits, little-endian, 48 kHz. What it does not take in time is lost, as sound is that nobody
/// listens to.
package final class PipeSink: SoundSink {
    private let descriptor: FileDescriptor
    private var bytes: [UInt8] = []
    package private(set) var lostSamples = 0
    private var isBroken = false

    package init(descriptor: FileDescriptor = .standardOutput) {
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
        guard self.descriptor.isWritable() else {
            self.lostSamples += sound.count
            return
        }
        let bytes = self.bytes
        do throws(Errno) { _ = try self.descriptor.write(bytes.span) } catch {
            self.isBroken = error != .wouldBlock
        }
    }
}
