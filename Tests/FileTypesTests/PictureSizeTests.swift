import TestSupport
import Testing

@testable import FileTypes

@Suite("The size of a picture")
struct PictureSizeTests {
    private static func big(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
    private static func little(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }

    static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0] + big(900) + [0, 0]
        + big(600)
    static let gif: [UInt8] = Array("GIF89a".utf8) + little(900) + little(600)
    private static let riff = Array("RIFF\u{0}\u{0}\u{0}\u{0}WEBP".utf8)
    static let lossy: [UInt8] =
        riff + Array("VP8 ".utf8) + [0, 0, 0, 0, 0, 0, 0, 0x9D, 0x01, 0x2A] + little(900) + little(600)
    static let lossless: [UInt8] = {
        let bits = UInt32(899) | UInt32(599) << 14
        return riff + Array("VP8L".utf8) + [0, 0, 0, 0, 0x2F] + (0..<4).map { UInt8(bits >> (8 * $0) & 255) }
    }()
    static let extended: [UInt8] =
        riff + Array("VP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0] + little(899) + [0] + little(599) + [0]

    static func jpeg(orientation: Int? = nil, littleEndian: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        if let orientation {
            let (short, order) = littleEndian ? (little, "II") : (big, "MM")
            let long = { (value: Int) in littleEndian ? short(value) + [0, 0] : [0, 0] + short(value) }
            let tiff: [UInt8] =
                Array(order.utf8) + short(42) + long(8) + short(2) + short(0x0110) + short(2) + long(1) + long(0)
                + short(0x0112) + short(3) + long(1) + short(orientation) + [0, 0]
            bytes += [0xFF, 0xE1] + big(tiff.count + 8) + Array("Exif\u{0}\u{0}".utf8) + tiff
        }
        return bytes + [0xFF, 0xFF, 0xC4] + big(3) + [0, 0xFF, 0xC2] + big(11) + [8] + big(600) + big(900) + [3]
            + [UInt8](repeating: 0, count: 5)
    }

    @Test(
        "D07 is read from the header of every form",
        arguments: [
            (FileType.png, png), (.gif, gif), (.webp, lossy), (.webp, lossless), (.webp, extended), (.jpeg, jpeg()),
        ])
    func forms(type: FileType, bytes: [UInt8]) {
        #expect(FileType(sniffing: bytes.span, isWhole: true) == type)
        #expect(PictureSize(of: type, in: bytes.span) == PictureSize(width: 900, height: 600))
        for end in bytes.indices.dropLast(6) {
            _ = PictureSize(of: type, in: bytes.span.extracting(0..<end))
        }
        #expect(PictureSize(of: type, in: bytes.span.extracting(0..<8)) == nil)
    }

    @Test("D07 is that of the picture as it is shown, when the camera lay on its side", arguments: 1...8)
    func orientation(value: Int) {
        let expected = value >= 5 ? PictureSize(width: 600, height: 900) : PictureSize(width: 900, height: 600)
        for littleEndian in [false, true] {
            let bytes = Self.jpeg(orientation: value, littleEndian: littleEndian)
            #expect(PictureSize(of: .jpeg, in: bytes.span) == expected)
        }
    }

    @Test("D07 fits into a square without growing or vanishing")
    func fitting() {
        #expect(PictureSize(width: 900, height: 600).fitted(into: 300) == PictureSize(width: 300, height: 200))
        #expect(PictureSize(width: 200, height: 100).fitted(into: 300) == PictureSize(width: 200, height: 100))
        #expect(PictureSize(width: 10_000, height: 1).fitted(into: 300) == PictureSize(width: 300, height: 1))
    }

    @Test("is nothing for a picture of no width, and for what only looks like one")
    func nonsense() {
        var png = Self.png
        png.replaceSubrange(16..<20, with: [0, 0, 0, 0])
        #expect(PictureSize(of: .png, in: png.span) == nil)
        png.replaceSubrange(16..<20, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(PictureSize(of: .png, in: png.span) == nil)
        #expect(PictureSize(of: .text, in: Self.png.span) == nil)
        var random = SeededRandom(seed: 3)
        for _ in 0..<20_000 {
            var bytes = Self.jpeg(orientation: 6)
            for _ in 0..<3 {
                bytes[Int.random(in: 2..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            #expect((PictureSize(of: .jpeg, in: bytes.span)?.pixels ?? 1) > 0)
        }
    }
}
