import Handset
import TestSupport
import Testing

@Suite("A recording that is played")
struct FileFeedTests {
    /// Half a second at 48 kHz, rising.
    private static func wav(_ samples: [Int16], channels: UInt8 = 1) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let body = samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        return Array("RIFF".utf8) + word(36 + body.count) + Array("WAVEfmt ".utf8) + word(16)
            + [1, 0, channels, 0] + word(48_000) + word(96_000 * Int(channels)) + [2 * channels, 0, 16, 0]
            + Array("data".utf8) + word(body.count) + body
    }

    @Test("J14 is heard whole and then is over, however much is asked for", arguments: [1, 7, 960, 5000])
    func whole(step: Int) throws {
        let folder = try TemporaryFolder()
        let samples = (0..<2400).map { Int16($0) }
        let feed = try FileFeed(path: try folder.write("a.wav", Self.wav(samples)))
        #expect(try Self.heard(of: feed, step: step) == samples)
    }

    private static func heard(of feed: FileFeed, step: Int) throws -> [Int16] {
        var heard: [Float] = []
        while !feed.isOver {
            var sound = [Float](repeating: 0, count: step)
            var span = sound.mutableSpan
            let count = try feed.read(into: &span)
            heard += sound.prefix(count)
        }
        return heard.map { Int16(($0 * 32768).rounded()) }
    }

    @Test("J14 keeps two channels apart, makes two of one, and one of several")
    func stereo() throws {
        let folder = try TemporaryFolder()
        let both = (0..<2400).flatMap { [Int16($0), Int16(-2 * $0)] }
        let path = try folder.write("both.wav", Self.wav(both, channels: 2))
        #expect(try Self.heard(of: FileFeed(path: path, isStereo: true), step: 960) == both)
        #expect(try Self.heard(of: FileFeed(path: path), step: 960).count == 2400)
        let one = try folder.write("one.wav", Self.wav([1, 2, 3]))
        #expect(try Self.heard(of: FileFeed(path: one, isStereo: true), step: 960) == [1, 1, 2, 2, 3, 3])
    }

    @Test("has to be one")
    func nonsense() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.wav", Array("nonsense".utf8))
        #expect(throws: (any Error).self) { try FileFeed(path: path) }
        #expect(throws: (any Error).self) { try FileFeed(path: folder.place("nowhere.wav")) }
    }
}
