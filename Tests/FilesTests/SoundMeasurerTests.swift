import FileTypes
import TestSupport
import Testing
import Vocabulary

@testable import Files

@Suite("Measuring recordings")
struct SoundMeasurerTests {
    private static let bars = "[\((0..<60).map { "\($0)" }.joined(separator: ","))]"

    private static func said(
        samples: String = "96000", rate: String = "48000", bars: String = Self.bars
    ) -> [UInt8] {
        Array(#"{"samples":\#(samples),"rate":\#(rate),"waveform":{"parley":"AA==","message":\#(bars)}}"#.utf8)
    }

    @Test("K11.measured The outline is what the program says of the recording")
    func outline() throws {
        let outline = try #require(SoundOutline(information: Self.said()))
        #expect(outline.milliseconds == 2000 && outline.bars == Array(0..<60))
        #expect(SoundOutline(information: Self.said(samples: "47999"))?.milliseconds == 1000)
        #expect(SoundOutline(information: Self.said(samples: "172800000"))?.milliseconds == 3_600_000)
    }

    @Test(
        "K11.hostile Nothing else is an outline",
        arguments: [
            Self.said(samples: "0"), Self.said(samples: "-1"), Self.said(samples: "9223372036854775807"),
            Self.said(samples: "172848000"), Self.said(rate: "0"), Self.said(rate: "-48000"), Self.said(rate: "null"),
            Self.said(rate: "1"), Self.said(bars: "[1,2,3]"), Self.said(bars: "[]"), Self.said(bars: "7"),
            Self.said(bars: Self.bars.replacing("[0,", with: "[101,")),
            Self.said(bars: Self.bars.replacing("[0,", with: "[-1,")),
            Self.said(bars: Self.bars.replacing("[0,", with: "[0,0,")), [], Array("null".utf8), Array("[]".utf8),
        ])
    func refuses(information: [UInt8]) {
        #expect(SoundOutline(information: information) == nil)
    }

    @Test("K11.hostile What was cut off is no outline, wherever it was cut")
    func cut() {
        let whole = Self.said()
        for count in whole.indices { #expect(SoundOutline(information: Array(whole[..<count])) == nil) }
    }

    @Test("Only recordings of the size of a message are measured")
    func kinds() throws {
        let hash = try #require(ContentHash([UInt8](repeating: 1, count: 32)))
        func kept(_ type: FileType, _ size: Int) -> KeptFile {
            KeptFile(hash: hash, size: size, type: type, picture: nil)
        }
        #expect(SoundMeasurer.measures(kept(.ogg, 16 << 20)) && SoundMeasurer.measures(kept(.wav, 0)))
        #expect(!SoundMeasurer.measures(kept(.ogg, 16 << 20 + 1)) && !SoundMeasurer.measures(kept(.mp3, 1)))
    }

    @Test("A program that is missing measures nothing, and one that fails leaves the file as it is")
    func programs() throws {
        let shelf = try Shelf()
        #expect(SoundMeasurer(program: "\(shelf.root.path)/parley") == nil)
        let measurer = try #require(SoundMeasurer(program: "/bin/false"))
        let kept = try shelf.folder.keep(try shelf.upload(Array("OggS and no more".utf8)))
        #expect(kept.type == .ogg)
        #expect(throws: SoundMeasurer.Failure.refused) { try measurer.measure(kept, in: shelf.folder) }
    }
}
