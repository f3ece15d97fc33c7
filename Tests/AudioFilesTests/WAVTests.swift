import AudioFiles
import Bytes
import TestSupport
import Testing

@Suite("A WAV file")
struct WAVTests {
    static let sound: [Float] = (0..<400).map { Float($0 - 200) / 256 }

    static func file(_ encoding: SampleEncoding, rate: Int = 16_000, channels: Int = 1) -> [UInt8] {
        let speakers = Speakers(count: channels)
        let writer = WAVWriter(
            format: WAVFormat(sound: SoundFormat(rate: rate, speakers: speakers), encoding: encoding))
        var sound: [UInt8] = []
        encoding.encode(self.sound.span, to: &sound)
        return writer.header(for: sound.count) + sound
    }

    struct Reading: Equatable {
        var format: WAVFormat?
        var samples: [Float] = []
        var truncatedAt: Int?
    }

    static func read(_ file: [UInt8], by step: Int = 1000) throws -> Reading {
        var reader = WAVReader()
        var reading = Reading()
        var position = 0
        func feed(_ reader: inout WAVReader) {
            let piece = file[position..<min(position + step, file.count)]
            position += piece.count
            piece.isEmpty ? reader.finish() : reader.append(Array(piece).span)
        }
        while try !reader.readHeader() { feed(&reader) }
        while !reader.isOver {
            if reader.read(upTo: 100, into: &reading.samples) == 0, !reader.isOver { feed(&reader) }
        }
        reading.format = reader.format
        reading.truncatedAt = reader.truncatedAt
        return reading
    }

    @Test(
        "of every encoding comes back, however its bytes arrive",
        arguments: [.unsigned8, .signed16, .signed24, .signed32, .float32, .float64] as [SampleEncoding], [1, 5, 4096]
    )
    func roundTrip(encoding: SampleEncoding, step: Int) throws {
        let reading = try Self.read(Self.file(encoding), by: step)
        #expect(reading.format?.encoding == encoding)
        let steps: Float = encoding == .unsigned8 ? 1.0 / 128 : 1.0 / 32768
        #expect(reading.samples.count == 400)
        #expect(zip(reading.samples, Self.sound).allSatisfy { abs($0 - $1) <= steps })
        #expect(reading.truncatedAt == nil)
    }

    @Test("keeps who hears which channel", arguments: 1...8)
    func channels(count: Int) throws {
        let reading = try Self.read(Self.file(.signed16, rate: 44_100, channels: count))
        #expect(reading.format?.sound == SoundFormat(rate: 44_100, speakers: Speakers(count: count)))
    }

    @Test("larger than 4 GiB says so in RF64")
    func large() throws {
        let format = WAVFormat(sound: SoundFormat(rate: 48_000, speakers: Speakers(count: 2)), encoding: .signed16)
        let writer = WAVWriter(format: format)
        let header = writer.header(for: 5 << 30)
        #expect(header.starts(with: Array("RF64".utf8)) && header.count == writer.openHeader.count)
        var reader = WAVReader()
        reader.append(header.span)
        #expect(try reader.readHeader())
        #expect(reader.announcedFrames == 5 << 28)
    }

    @Test("with chunks of odd length and unknown kind before the sound is read past them")
    func chunks() throws {
        var file = Self.file(.signed16)
        var chunk = ByteWriter()
        chunk.write("note")
        chunk.writeLittleEndian(UInt32(3))
        chunk.write(contentsOf: [1, 2, 3, 0])
        file.insert(contentsOf: chunk.bytes, at: 12)
        #expect(try Self.read(file, by: 3).samples.count == 400)
    }

    @Test("ends where its sound ends, whatever follows")
    func trailer() throws {
        let file = Self.file(.signed16) + Array("LIST----------------".utf8)
        #expect(try Self.read(file).samples.count == 400)
    }

    @Test("from a pipe, which knows no size, ends with the pipe", arguments: [0, 0x7FFF_F000, 0xFFFF_FFFF] as [UInt32])
    func pipe(size: UInt32) throws {
        var file = Self.file(.signed16)
        let place = file.count - 800 - 4
        for index in 0..<4 { file[place + index] = UInt8(truncatingIfNeeded: size >> UInt32(8 * index)) }
        let reading = try Self.read(file)
        #expect(reading.samples.count == 400 && reading.truncatedAt == nil)
    }

    @Test("cut at any byte is read up to there or refused with the place")
    func cut() throws {
        let file = Self.file(.signed16)
        let header = file.count - 800
        for end in 0..<file.count {
            do {
                let reading = try Self.read(Array(file[..<end]))
                #expect(end >= header && reading.samples.count == (end - header) / 2)
                #expect(reading.truncatedAt == end)
            } catch let error as AudioFileError {
                #expect(end < header && error.offset <= end)
            }
        }
    }

    @Test("of a codec that is not plain samples says which")
    func otherCodec() {
        var file = Self.file(.signed16)
        file[56] = 0x11
        #expect(throws: AudioFileError(.otherCodec("WAV codec 17 with 16 bits"), at: 56)) { try Self.read(file) }
    }

    @Test("with numbers that are not sound is made harmless")
    func notANumber() throws {
        var file = Self.file(.float32)
        for index in 0..<4 { file[file.count - 4 + index] = 0xFF }
        let reading = try Self.read(file)
        #expect(reading.samples.last == 0)
    }

    @Test("with any bytes changed is read or refused, and never stops the program")
    func fuzz() {
        var random = SeededRandom(seed: 1991)
        for round in 0..<4000 {
            var file = Self.file(SampleEncoding.allCases[round % 6], channels: 1 + round % 3)
            for _ in 0...Int.random(in: 0..<8, using: &random) {
                // Most of the interest lies in front.
                let end = round.isMultiple(of: 3) ? file.count : 120
                file[Int.random(in: 0..<end, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            guard let reading = try? Self.read(file, by: 333) else { continue }
            #expect(reading.samples.allSatisfy { !$0.isNaN }, "round \(round)")
        }
    }

    @Test("rounds to the nearest step and clips at full scale")
    func rounding() {
        let samples: [Float] = [0, 1, -1, 2, -2, 0.5 / 32768, 1.5 / 32768, 0.49 / 32768, -0.51 / 32768]
        var bytes: [UInt8] = []
        SampleEncoding.signed16.encode(samples.span, to: &bytes)
        let values = stride(from: 0, to: bytes.count, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
        #expect(values == [0, 32767, -32768, 32767, -32768, 0, 2, 0, -1])
    }

    @Test("in big-endian samples is the mirror of little-endian")
    func bigEndian() {
        let pairs: [(SampleEncoding, SampleEncoding)] = [
            (.signed16, .signed16BigEndian), (.signed24, .signed24BigEndian), (.signed32, .signed32BigEndian),
        ]
        for (little, big) in pairs {
            var forward: [UInt8] = []
            var backward: [UInt8] = []
            little.encode(Self.sound.span, to: &forward)
            big.encode(Array(Self.sound.reversed()).span, to: &backward)
            #expect(forward == backward.reversed())
            var samples: [Float] = []
            big.decode(backward.span, to: &samples)
            #expect(zip(samples.reversed(), Self.sound).allSatisfy { abs($0 - $1) < 1.0 / 32768 })
        }
    }
}
