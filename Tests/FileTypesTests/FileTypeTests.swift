import TestSupport
import Testing

@testable import FileTypes

@Suite("The type of a file")
struct FileTypeTests {
    private static let samples: [(type: FileType, front: [UInt8])] = [
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0]), (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
        (.gif, Array("GIF89a\u{1}".utf8)), (.webp, Array("RIFF\u{0}\u{0}\u{0}\u{0}WEBPVP8 ".utf8)),
        (.wav, Array("RIFF\u{0}\u{0}\u{0}\u{0}WAVEfmt ".utf8)), (.heic, Array("\u{0}\u{0}\u{0}\u{18}ftypheic".utf8)),
        (.avif, Array("\u{0}\u{0}\u{0}\u{18}ftypavif".utf8)), (.mp4, Array("\u{0}\u{0}\u{0}\u{18}ftypisom".utf8)),
        (.quickTime, Array("\u{0}\u{0}\u{0}\u{14}ftypqt  ".utf8)), (.m4a, Array("\u{0}\u{0}\u{0}\u{18}ftypM4A ".utf8)),
        (.threeGP, Array("\u{0}\u{0}\u{0}\u{18}ftyp3gp4".utf8)), (.ogg, Array("OggS\u{0}\u{2}".utf8)),
        (.webm, [0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x82, 0x84] + Array("webm".utf8)),
        (.matroska, [0x1A, 0x45, 0xDF, 0xA3, 0xA3, 0x42, 0x82, 0x88] + Array("matroska".utf8)),
        (.amr, Array("#!AMR\n<".utf8)), (.amrWide, Array("#!AMR-WB\n<".utf8)), (.mp3, Array("ID3\u{3}".utf8)),
        (.mp3, [0xFF, 0xFB, 0x90, 0x64]), (.aac, [0xFF, 0xF1, 0x50, 0x80]), (.flac, Array("fLaC\u{0}".utf8)),
        (.pdf, Array("%PDF-1.7\n".utf8)), (.zip, Array("PK\u{3}\u{4}".utf8)), (.gzip, [0x1F, 0x8B, 0x08, 0]),
        (.text, Array("<html><script>alert(1)</script>".utf8)), (.text, Array("你好\n".utf8)),
        (.octets, [0, 1, 2, 3]), (.octets, [0xC3, 0x28]), (.octets, [0xFF, 0xFF, 0xFF, 0xFF]),
    ]

    @Test("is told by its first bytes", arguments: samples.indices)
    func sniffing(index: Int) {
        let (type, front) = Self.samples[index]
        #expect(FileType(sniffing: front.span, isWhole: true) == type)
        #expect(FileType(mediaType: type.mediaType) == type)
    }

    @Test("of text is seen although its last character is cut, if there is more")
    func cutText() {
        let bytes = Array("你好".utf8.dropLast())
        #expect(FileType(sniffing: bytes.span, isWhole: false) == .text)
        #expect(FileType(sniffing: bytes.span, isWhole: true) == .octets)
    }

    @Test("is never one that a browser would carry out")
    func harmless() {
        for type in FileType.all where type.isShown {
            #expect(["image/", "audio/", "video/"].contains { type.mediaType.hasPrefix($0) })
            #expect(!type.mediaType.contains("svg"))
        }
    }

    @Test("is found whatever comes, however short")
    func anything() {
        var random = SeededRandom(seed: 7)
        for round in 0..<5000 {
            var bytes = Self.samples[round % Self.samples.count].front
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            if let place = bytes.indices.randomElement(using: &random) {
                bytes[place] = .random(in: 0...255, using: &random)
            }
            let type = FileType(sniffing: bytes.span, isWhole: round % 2 == 0)
            #expect(FileType.all.contains(type))
            #expect((PictureSize(of: type, in: bytes.span)?.pixels ?? 1) > 0)
        }
    }
}
