/// Puts the frames of several packets into one, as a packet of code 3 (RFC 6716 §3.2.5).
///
/// Some players take nothing but code 3, so it is written even for a single frame. The frames
/// themselves are not touched. Its buffers are kept from packet to packet.
package struct OpusPacketJoiner: Sendable {
    private var frames: [UInt8] = []
    private var lengths: [Int] = []
    private var found: [Range<Int>] = []
    /// Configuration and stereo bit that all frames of one packet share.
    private var shape: UInt8 = 0
    /// The bytes of the packets that came in: what a constant bit rate has to fill again.
    private var bytesIn = 0

    package init() {}

    package var frameCount: Int { self.lengths.count }
    package var isEmpty: Bool { self.lengths.isEmpty }
    /// In samples at 48 kHz.
    package var duration: Int { self.lengths.count * OpusPacket.frameDuration(of: self.shape) }

    /// Takes a packet in, or answers false when its frames do not fit to those already here: then
    /// `take` first.
    package mutating func add(_ packet: Span<UInt8>) throws(AudioFileError) -> Bool {
        try OpusPacket.findFrames(of: packet, into: &self.found)
        let shape = packet[0] & ~3
        guard self.isEmpty || (shape == self.shape && self.hasRoom(for: self.found.count)) else { return false }
        self.shape = shape
        self.bytesIn += packet.count
        for frame in self.found {
            self.lengths.append(frame.count)
            for index in frame { self.frames.append(packet[index]) }
        }
        return true
    }

    private func hasRoom(for count: Int) -> Bool {
        (self.lengths.count + count) * OpusPacket.frameDuration(of: self.shape) <= OpusPacket.maximumDuration
    }

    /// Writes the joined packet over `packet` and starts afresh. With `keepingSize` it is padded to the
    /// bytes that came in, so that a constant bit rate stays constant.
    package mutating func take(into packet: inout [UInt8], keepingSize: Bool = false) {
        packet.removeAll(keepingCapacity: true)
        let isEven = self.lengths.allSatisfy { $0 == self.lengths[0] }
        let plain = 2 + self.frames.count + (isEven ? 0 : self.lengths.dropLast().reduce(0) { $0 + ($1 < 252 ? 1 : 2) })
        let padding = keepingSize ? max(0, self.bytesIn - plain) : 0
        packet.append(self.shape | 3)
        packet.append(UInt8(self.lengths.count) | (isEven ? 0 : 0x80) | (padding > 0 ? 0x40 : 0))
        if padding > 0 { Self.writePaddingLength(padding, to: &packet) }
        if !isEven {
            for length in self.lengths.dropLast() { Self.write(length, to: &packet) }
        }
        packet.append(contentsOf: self.frames)
        // What is padded counts its own length bytes, so that is what remains to be filled.
        while packet.count < plain + padding { packet.append(0) }
        self.frames.removeAll(keepingCapacity: true)
        self.lengths.removeAll(keepingCapacity: true)
        self.bytesIn = 0
    }

    /// `total` bytes of padding, the bytes that say so among them.
    private static func writePaddingLength(_ total: Int, to packet: inout [UInt8]) {
        var rest = total
        while rest > 255 {
            packet.append(255)
            rest -= 255
        }
        packet.append(UInt8(rest - 1))
    }

    private static func write(_ length: Int, to packet: inout [UInt8]) {
        guard length >= 252 else { return packet.append(UInt8(length)) }
        // The first byte carries the two low bits, the second counts fours.
        let first = 252 + (length & 3)
        packet.append(UInt8(first))
        packet.append(UInt8((length - first) >> 2))
    }
}
