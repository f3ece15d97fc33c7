import Bytes

/// The first packet of an Opus stream in Ogg, and the private data of one in WebM (RFC 7845 §5.1).
package struct OpusHead: Hashable, Sendable {
    /// Which decoded stream feeds which channel, for more than two channels.
    package struct Mapping: Hashable, Sendable {
        package var family: UInt8
        package var streams: Int
        package var coupled: Int
        package var table: [UInt8]

        package init(family: UInt8, streams: Int, coupled: Int, table: [UInt8]) {
            self.family = family
            self.streams = streams
            self.coupled = coupled
            self.table = table
        }
    }

    package var channels: Int
    /// Samples at 48 kHz that a player drops at the start.
    package var preSkip: Int
    /// The rate of the recording before it was encoded, or 0. A hint; it changes nothing in the sound.
    package var inputRate: UInt32
    /// What to add to the decoded sound, in 1/256 dB.
    package var gain: Int16
    /// Nil for family 0: mono or stereo in one stream.
    package var mapping: Mapping?

    package init(channels: Int, preSkip: Int, inputRate: UInt32, gain: Int16 = 0, mapping: Mapping? = nil) {
        self.channels = channels
        self.preSkip = preSkip
        self.inputRate = inputRate
        self.gain = gain
        self.mapping = mapping
    }

    package static let magic = Array("OpusHead".utf8)

    /// Reads the packet; `offset` is where it lies in its file.
    package init(parsing bytes: [UInt8], at offset: Int) throws(AudioFileError) {
        guard bytes.starts(with: Self.magic) else { throw AudioFileError(.notThisFormat, at: offset) }
        do {
            var reader = ByteReader(bytes.span)
            _ = try reader.skip(Self.magic.count)
            self = try Self.read(from: &reader)
        } catch {
            throw AudioFileError(error.reason == .truncated ? .truncated : .outOfRange, at: offset + error.offset)
        }
    }

    private static func read(from reader: inout ByteReader) throws(ByteError) -> OpusHead {
        // Versions 0 to 15 only add to the end of what is known (RFC 7845 §5.1).
        guard try reader.read() < 16 else { throw ByteError(.outOfRange, at: 8) }
        let channels = Int(try reader.read())
        guard channels > 0 else { throw ByteError(.outOfRange, at: 9) }
        var head = OpusHead(
            channels: channels,
            preSkip: Int(try reader.readLittleEndian(UInt16.self)),
            inputRate: try reader.readLittleEndian(),
            gain: try reader.readLittleEndian()
        )
        let family: UInt8 = try reader.read()
        if family == 0 {
            guard channels <= 2 else { throw ByteError(.outOfRange, at: 9) }
        } else {
            head.mapping = try Self.readMapping(family, channels: channels, from: &reader)
        }
        return head
    }

    private static func readMapping(
        _ family: UInt8, channels: Int, from reader: inout ByteReader
    ) throws(ByteError) -> Mapping {
        // Family 3 puts a matrix where the others put their table (RFC 8486 §3.2).
        guard family != 3, family != 1 || channels <= 8 else { throw ByteError(.outOfRange, at: 9) }
        let streams = Int(try reader.read())
        let coupled = Int(try reader.read())
        guard streams > 0, coupled <= streams, streams + coupled <= 255 else { throw ByteError(.outOfRange, at: 19) }
        let table = try reader.array(channels)
        guard table.allSatisfy({ $0 == 255 || Int($0) < streams + coupled }) else {
            throw ByteError(.outOfRange, at: 21)
        }
        return Mapping(family: family, streams: streams, coupled: coupled, table: table)
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter(reservingCapacity: 32)
        writer.write(contentsOf: Self.magic)
        writer.write(UInt8(1))
        writer.write(UInt8(truncatingIfNeeded: self.channels))
        writer.writeLittleEndian(UInt16(clamping: self.preSkip))
        writer.writeLittleEndian(self.inputRate)
        writer.writeLittleEndian(self.gain)
        writer.write(self.mapping?.family ?? 0)
        if let mapping = self.mapping {
            writer.write(UInt8(truncatingIfNeeded: mapping.streams))
            writer.write(UInt8(truncatingIfNeeded: mapping.coupled))
            writer.write(contentsOf: mapping.table)
        }
        return writer.bytes
    }
}
