import AudioFiles
import SoundFiles
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("A foreign sound file")
struct SoundFileTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// An AU file: the plainest there is.
    private static func au(_ samples: [Int16], rate: UInt32 = 8000, channels: UInt32 = 1) -> [UInt8] {
        let numbers: [UInt32] = [0x2E73_6E64, 24, UInt32(samples.count * 2), 3, rate, channels]
        let header = numbers.flatMap { number in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
        }
        return header + samples.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }

    @Test("is read through libsndfile, sample by sample")
    func read() throws {
        let samples = (0..<1000).map { Int16($0 * 7) }
        let file = try SoundFile(try InputFile(path: try self.folder.write("a.au", Self.au(samples))))
        #expect(file.format == SoundFormat(rate: 8000, speakers: Speakers(count: 1)))
        #expect(file.kind.contains("AU"))
        var sound: [Float] = []
        var piece: [Float] = []
        repeat {
            try file.read(300, into: &piece)
            sound += piece
        } while !piece.isEmpty
        #expect(sound == samples.map { Float($0) / 32768 })
    }

    @Test("that is none is refused in libsndfile's words")
    func refused() throws {
        let path = try self.folder.write("a.txt", Array("this is text, and no sound at all".utf8))
        #expect(throws: SoundFile.Failure.self) { try SoundFile(try InputFile(path: path)) }
    }

    @Test("with any bytes changed is read or refused, and never stops the program")
    func fuzz() throws {
        var random = SeededRandom(seed: 1)
        let file = Self.au((0..<500).map { Int16($0) })
        var count = 0
        for _ in 0..<200 {
            var mutated = file
            for _ in 0..<4 {
                mutated[Int.random(in: 0..<40, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            let path = try self.folder.write("m.au", mutated)
            guard let sound = try? SoundFile(try InputFile(path: path)) else { continue }
            var piece: [Float] = []
            for _ in 0..<10 where (try? sound.read(100, into: &piece)) != nil {}
            count += 1
        }
        #expect((1..<200).contains(count), "some are read and some refused")
    }
}

@Suite("ffmpeg as a child", .enabled(if: FFmpeg.isInstalled))
struct FFmpegTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test("hands out a WAV file of what it reads")
    func reads() throws {
        // AMR-NB: a header and frames of 12.2 kbit/s, whose bits may be anything.
        let frame: [UInt8] = [0x3C] + Array(repeating: 0, count: 31)
        let bytes = Array("#!AMR\n".utf8) + (0..<50).flatMap { _ in frame }
        let child = try FFmpeg(reading: try InputFile(path: try self.folder.write("a.amr", bytes)))
        var reader = WAVReader()
        var piece: [UInt8] = []
        var samples: [Float] = []
        repeat {
            try child.read(into: &piece)
            piece.isEmpty ? reader.finish() : reader.append(piece.span)
            while try reader.readHeader(), reader.read(upTo: 1000, into: &samples) > 0 {}
        } while !piece.isEmpty
        #expect(reader.format?.sound.rate == 8000 && samples.count == 8000)
    }

    @Test("says in one line what it cannot read")
    func refuses() throws {
        let path = try self.folder.write("a.m4a", Array("no sound, whatever one thinks of it".utf8))
        let child = try FFmpeg(reading: try InputFile(path: path))
        var piece: [UInt8] = []
        let error = #expect(throws: FFmpeg.Failure.self) {
            repeat { try child.read(into: &piece) } while !piece.isEmpty
        }
        #expect(error?.description.contains("\n") == false)
    }

    @Test("opens no other file, even when the one it is given asks for it")
    func playlist() throws {
        let secret = try self.folder.write("secret.wav", Array(repeating: 65, count: 1000))
        let list = "#EXTM3U\n#EXTINF:10,\n\(secret)\n#EXT-X-ENDLIST\n"
        let path = try self.folder.write("a.m4a", Array(list.utf8))
        let child = try FFmpeg(reading: try InputFile(path: path))
        var piece: [UInt8] = []
        #expect(throws: FFmpeg.Failure.self) { repeat { try child.read(into: &piece) } while !piece.isEmpty }
    }

    @Test("that is let go leaves no process behind")
    func letGo() throws {
        let frame: [UInt8] = [0x3C] + Array(repeating: 0, count: 31)
        let bytes = Array("#!AMR\n".utf8) + (0..<60_000).flatMap { _ in frame }
        let file = try InputFile(path: try self.folder.write("a.amr", bytes))
        for _ in 0..<3 {
            var child: FFmpeg? = try FFmpeg(reading: file)
            var piece: [UInt8] = []
            try child?.read(into: &piece)
            let process = try #require(child?.processID)
            child = nil
            #expect(kill(process, 0) == -1 && errno == ESRCH)
        }
    }
}
