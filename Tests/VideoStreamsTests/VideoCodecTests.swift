import TestSupport
import Testing
import VideoStreams

@Suite("A codec of pictures")
struct VideoCodecTests {
    @Test(
        "J15 VP8 begins a key frame with the first partition of a picture that needs no other",
        arguments: [
            ([0x10, 0x00], true), ([0x10, 0x01], false),
            // In the middle of the picture, or in another partition.
            ([0x00, 0x00], false), ([0x11, 0x00], false),
            // With a number of seven bits, of fifteen, with layers and all of them.
            ([0x90, 0x80, 0x05, 0x00], true), ([0x90, 0x80, 0x85, 0x06, 0x00], true), ([0x90, 0x20, 0x40, 0x00], true),
            ([0x90, 0xE0, 0x85, 0x06, 0x01, 0x40, 0x00], true), ([0x90, 0xE0, 0x85, 0x06, 0x01, 0x40, 0x01], false),
            ([0x90, 0x80, 0x85], false), ([0x10], false), ([], false),
        ] as [([UInt8], Bool)])
    func vp8(payload: [UInt8], isKeyFrame: Bool) {
        #expect(VideoCodec.vp8.startsKeyFrame(payload.span) == isKeyFrame)
    }

    @Test(
        "J16 H.264 begins a key frame with parameters of a sequence or a picture that needs no other",
        arguments: [
            ([0x67, 1], true), ([0x65, 1], true), ([0x61, 1], false), ([0x68, 1], false),
            // Several in one packet: parameters of sequence and picture; of a picture alone.
            ([0x78, 0, 2, 0x67, 1, 0, 2, 0x68, 1], true), ([0x78, 0, 2, 0x68, 1, 0, 2, 0x65, 1], true),
            ([0x78, 0, 2, 0x68, 1], false), ([0x78, 0xFF, 0xFF, 0x68], false),
            // In pieces: the first, another, and the first of a picture that needs others.
            ([0x7C, 0x85, 1], true), ([0x7C, 0x05, 1], false), ([0x5C, 0x81, 1], false), ([0x7C], false), ([], false),
        ] as [([UInt8], Bool)])
    func h264(payload: [UInt8], isKeyFrame: Bool) {
        #expect(VideoCodec.h264.startsKeyFrame(payload.span) == isKeyFrame)
    }

    @Test("Any bytes can be asked for a key frame", arguments: VideoCodec.allCases)
    func junk(codec: VideoCodec) {
        var random = SeededRandom(seed: 7)
        var found = 0
        for _ in 0..<20_000 {
            let bytes = random.bytes(.random(in: 0...12, using: &random))
            if codec.startsKeyFrame(bytes.span) { found += 1 }
        }
        #expect((1..<10_000).contains(found))
    }
}
