import Bytes

/// What the `fmt ` chunk of a WAV file says.
package struct WAVFormat: Hashable, Sendable {
    package var sound: SoundFormat
    package var encoding: SampleEncoding

    package init(sound: SoundFormat, encoding: SampleEncoding) {
        self.sound = sound
        self.encoding = encoding
    }

    /// Bytes of one sample of all channels.
    package var frameSize: Int { self.sound.channels * self.encoding.size }

    static let pcm: UInt16 = 1
    static let float: UInt16 = 3
    static let extensible: UInt16 = 0xFFFE

    init(parsing content: Span<UInt8>, at offset: Int) throws(AudioFileError) {
        do {
            var reader = ByteReader(content)
            self = try Self.read(from: &reader)
        } catch let error as ByteError {
            throw AudioFileError(error.reason == .truncated ? .truncated : .outOfRange, at: offset + error.offset)
        } catch let error as OtherCodec {
            throw AudioFileError(.otherCodec(error.name), at: offset)
        } catch {
            throw AudioFileError(.outOfRange, at: offset)
        }
    }

    private struct OtherCodec: Error { var name: String }

    private static func read(from reader: inout ByteReader) throws -> WAVFormat {
        var tag: UInt16 = try reader.readLittleEndian()
        let channels = Int(try reader.readLittleEndian(UInt16.self))
        let rate = Int(try reader.readLittleEndian(UInt32.self))
        _ = try reader.skip(4)
        let frameSize = Int(try reader.readLittleEndian(UInt16.self))
        let bits = Int(try reader.readLittleEndian(UInt16.self))
        guard SoundFormat.channelCounts.contains(channels) else { throw ByteError(.outOfRange, at: 2) }
        guard SoundFormat.rates.contains(rate) else { throw ByteError(.outOfRange, at: 4) }
        var mask: UInt32 = 0
        if tag == self.extensible {
            _ = try reader.skip(4)
            mask = try reader.readLittleEndian()
            tag = try reader.readLittleEndian()
        }
        // Twenty bits stand in three bytes: what counts is the room a sample takes, not what is used of it.
        let size = frameSize / channels
        guard frameSize == size * channels, bits <= size * 8, let encoding = self.encoding(tag, size: size) else {
            throw OtherCodec(name: "WAV codec \(tag) with \(bits) bits")
        }
        return WAVFormat(
            sound: SoundFormat(rate: rate, speakers: Speakers(count: channels, mask: mask)), encoding: encoding)
    }

    private static func encoding(_ tag: UInt16, size: Int) -> SampleEncoding? {
        switch (tag, size) {
        case (self.pcm, 1): .unsigned8
        case (self.pcm, 2): .signed16
        case (self.pcm, 3): .signed24
        case (self.pcm, 4): .signed32
        case (self.float, 4): .float32
        case (self.float, 8): .float64
        default: nil
        }
    }

    /// The chunk's content. More than two channels, or more than 16 bits, ask for the extensible form.
    var bytes: [UInt8] {
        let isFloat = self.encoding == .float32 || self.encoding == .float64
        let tag = isFloat ? Self.float : Self.pcm
        let isExtensible = self.sound.channels > 2 || (!isFloat && self.encoding.size > 2)
        var writer = ByteWriter(reservingCapacity: 40)
        writer.writeLittleEndian(isExtensible ? Self.extensible : tag)
        writer.writeLittleEndian(UInt16(clamping: self.sound.channels))
        writer.writeLittleEndian(UInt32(clamping: self.sound.rate))
        writer.writeLittleEndian(UInt32(clamping: self.sound.rate * self.frameSize))
        writer.writeLittleEndian(UInt16(clamping: self.frameSize))
        writer.writeLittleEndian(UInt16(clamping: self.encoding.size * 8))
        guard isExtensible else { return writer.bytes }
        writer.writeLittleEndian(UInt16(22))
        writer.writeLittleEndian(UInt16(clamping: self.encoding.size * 8))
        writer.writeLittleEndian(self.sound.speakers.mask)
        writer.writeLittleEndian(tag)
        // The rest of the sub-format identifier, the same for every codec that has a number.
        writer.write(contentsOf: [0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71])
        return writer.bytes
    }
}
