/// The shape of an Opus packet (RFC 6716 §3): which frames it holds, never what they sound like.
package enum OpusPacket {
    /// All times of Opus files count in samples of this many per second.
    package static let clockRate = 48_000
    /// A packet never lasts longer than 120 ms (RFC 6716 §3.2.5, R5).
    package static let maximumDuration = 5760
    /// A frame never holds more bytes (RFC 6716 §3.2, R2).
    package static let maximumFrameBytes = 1275

    /// How long one frame lasts, in samples at 48 kHz, read from the first byte of a packet.
    package static func frameDuration(of toc: UInt8) -> Int {
        let configuration = Int(toc >> 3)
        switch configuration {
        case 0..<12: return [480, 960, 1920, 2880][configuration & 3]
        case 12..<16: return [480, 960][configuration & 1]
        default: return [120, 240, 480, 960][configuration & 3]
        }
    }

    /// How long a packet lasts, in samples at 48 kHz; nil for a packet that cannot be.
    package static func duration(of packet: Span<UInt8>) -> Int? {
        guard packet.count > 0 else { return nil }
        let frames: Int
        switch packet[0] & 3 {
        case 0: frames = 1
        case 1, 2: frames = 2
        default:
            guard packet.count > 1 else { return nil }
            frames = Int(packet[1] & 63)
        }
        let duration = frames * self.frameDuration(of: packet[0])
        return (1...self.maximumDuration).contains(duration) ? duration : nil
    }

    /// Whether a packet holds a coarse copy of the one before it (RFC 6716 §4.2.4): a bit behind those that say in which
    /// 20 ms there is speech, for each channel. Packets of several frames have one in each; the first tells.
    package static func hasRedundancy(_ packet: Span<UInt8>) -> Bool {
        // Only speech has any, which the upper half of the configurations is not.
        guard packet.count > 0, packet[0] & 0x80 == 0 else { return false }
        var frames: [Range<Int>] = []
        try? self.findFrames(of: packet, into: &frames)
        guard let first = frames.first, !first.isEmpty else { return false }
        let parts = max(1, self.frameDuration(of: packet[0]) / 960)
        let flags = packet[first.lowerBound]
        let middle = flags >> UInt8(7 - parts) & 1
        let side = packet[0] & 4 == 0 ? 0 : flags >> UInt8(6 - 2 * parts) & 1
        return middle | side != 0
    }

    /// Finds the frames of a packet and checks rules R1 to R7 of RFC 6716 §3.4. `frames` is emptied first.
    package static func findFrames(
        of packet: Span<UInt8>, into frames: inout [Range<Int>]
    ) throws(AudioFileError) {
        frames.removeAll(keepingCapacity: true)
        guard self.duration(of: packet) != nil else { throw AudioFileError(.badPacket, at: 0) }
        switch packet[0] & 3 {
        case 0: frames.append(1..<packet.count)
        case 1: try self.append(2, equalFramesIn: 1..<packet.count, to: &frames)
        case 2:
            var position = 1
            let first = try self.length(in: packet, at: &position, before: packet.count)
            frames.append(position..<(position + first))
            frames.append((position + first)..<packet.count)
        default: try self.findManyFrames(of: packet, into: &frames)
        }
        for frame in frames where frame.count > self.maximumFrameBytes {
            throw AudioFileError(.badPacket, at: frame.lowerBound)
        }
    }

    /// Code 3: any number of frames, perhaps padded (RFC 6716 §3.2.5).
    private static func findManyFrames(
        of packet: Span<UInt8>, into frames: inout [Range<Int>]
    ) throws(AudioFileError) {
        let count = Int(packet[1] & 63)
        var position = 2
        var end = packet.count
        if packet[1] & 0x40 != 0 { end -= try self.padding(in: packet, at: &position) }
        guard position <= end else { throw AudioFileError(.badPacket, at: position) }
        guard packet[1] & 0x80 != 0 else {
            return try self.append(count, equalFramesIn: position..<end, to: &frames)
        }
        var lengths = 0
        for _ in 1..<count {
            let length = try self.length(in: packet, at: &position, before: end)
            frames.append(lengths..<(lengths + length))
            lengths += length
        }
        // The lengths stand together in front; only now is it known where the first frame begins.
        guard lengths <= end - position else { throw AudioFileError(.badPacket, at: position) }
        for index in frames.indices {
            frames[index] = (frames[index].lowerBound + position)..<(frames[index].upperBound + position)
        }
        frames.append((position + lengths)..<end)
    }

    private static func append(
        _ count: Int, equalFramesIn range: Range<Int>, to frames: inout [Range<Int>]
    ) throws(AudioFileError) {
        guard range.count.isMultiple(of: count) else { throw AudioFileError(.badPacket, at: range.lowerBound) }
        let size = range.count / count
        for index in 0..<count {
            frames.append((range.lowerBound + index * size)..<(range.lowerBound + (index + 1) * size))
        }
    }

    /// A length of one or two bytes (RFC 6716 §3.2.1); what it names must end before `end`.
    private static func length(
        in packet: Span<UInt8>, at position: inout Int, before end: Int
    ) throws(AudioFileError) -> Int {
        guard position < end else { throw AudioFileError(.badPacket, at: position) }
        var length = Int(packet[position])
        position += 1
        if length >= 252 {
            guard position < end else { throw AudioFileError(.badPacket, at: position) }
            length += 4 * Int(packet[position])
            position += 1
        }
        guard length <= end - position else { throw AudioFileError(.badPacket, at: position) }
        return length
    }

    private static func padding(in packet: Span<UInt8>, at position: inout Int) throws(AudioFileError) -> Int {
        var padding = 0
        while true {
            guard position < packet.count else { throw AudioFileError(.badPacket, at: position) }
            let byte = Int(packet[position])
            position += 1
            padding += byte == 255 ? 254 : byte
            guard byte == 255 else { return padding }
        }
    }
}
