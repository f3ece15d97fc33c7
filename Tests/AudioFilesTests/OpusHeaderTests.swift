import AudioFiles
import TestSupport
import Testing

@Suite("The header packets of Opus")
struct OpusHeaderTests {
    private static let surround = OpusHead(
        channels: 6, preSkip: 312, inputRate: 48_000, gain: -256,
        mapping: .init(family: 1, streams: 4, coupled: 2, table: [0, 4, 1, 2, 3, 5])
    )

    @Test("come back as they were")
    func roundTrip() throws {
        for head in [OggBuilder.head, Self.surround] { #expect(try OpusHead(parsing: head.bytes, at: 0) == head) }
        let tags = OpusTags(vendor: "libopus 1.3.1", comments: ["TITLE=你好", "artist=Ada", ""])
        #expect(try OpusTags(parsing: tags.bytes, at: 0) == tags)
        #expect(tags["title"] == "你好" && tags["ARTIST"] == "Ada" && tags["album"] == nil)
    }

    @Test("of RFC 7845 §5.1 are laid out byte by byte")
    func layout() {
        let bytes = OpusHead(channels: 2, preSkip: 0x0138, inputRate: 44_100, gain: -1).bytes
        #expect(bytes == Array("OpusHead".utf8) + [1, 2, 0x38, 0x01, 0x44, 0xAC, 0, 0, 0xFF, 0xFF, 0])
    }

    @Test("cut at any byte are refused with the place")
    func cut() {
        for head in [OggBuilder.head, Self.surround] {
            for end in head.bytes.indices.dropFirst(8) {
                #expect(throws: AudioFileError(.truncated, at: 100 + end)) {
                    try OpusHead(parsing: Array(head.bytes[..<end]), at: 100)
                }
            }
        }
        let tags = OggBuilder.tags.bytes
        for end in tags.indices {
            #expect(throws: AudioFileError.self) { try OpusTags(parsing: Array(tags[..<end]), at: 0) }
        }
    }

    @Test(
        "with a number that cannot be are refused",
        arguments: [(8, 16, 8), (9, 0, 9), (9, 3, 9), (18, 1, 18)] as [(Int, UInt8, Int)]
    )
    func outOfRange(index: Int, value: UInt8, offset: Int) {
        var bytes = OggBuilder.head.bytes
        bytes[index] = value
        #expect(throws: AudioFileError.self) { try OpusHead(parsing: bytes, at: 0) }
    }

    @Test(
        "with a mapping that leads nowhere are refused",
        arguments: [(18, 3), (19, 0), (20, 5), (21, 6), (9, 9)] as [(Int, UInt8)])
    func badMapping(index: Int, value: UInt8) {
        var bytes = Self.surround.bytes
        bytes[index] = value
        #expect(throws: AudioFileError.self) { try OpusHead(parsing: bytes, at: 0) }
    }

    @Test("claiming more comments than bytes are refused before memory is given to them")
    func manyComments() {
        var bytes = OpusTags(vendor: "").bytes
        for index in 12..<16 { bytes[index] = 0xFF }
        #expect(throws: AudioFileError(.outOfRange, at: 12)) { try OpusTags(parsing: bytes, at: 0) }
    }
}
