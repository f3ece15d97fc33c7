import TestSupport
import Testing

@testable import Web

@Suite("A multipart body")
struct MultipartTests {
    private static let type = "multipart/form-data; boundary=\"a b\""
    private static let body = Array(
        ("ignored\r\n--a b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n2\r\n--a\r\n--a b  \r\n"
            .replacing("--a b  ", with: "--a b")
            + "content-disposition: form-data; name=\"image\"; filename=\"C:\\\\dir\\\\a.jpg\"\r\nContent-Type: image/jpg\r\n"
            + "\r\n\r\n--a b--\r\nand so on").utf8)

    private static func events(_ body: [UInt8], by step: Int) throws -> [MultipartReader.Event] {
        var reader = try MultipartReader(contentType: self.type)
        var events: [MultipartReader.Event] = []
        for start in stride(from: 0, to: body.count, by: step) {
            events += try reader.read(body.span.extracting(start..<min(start + step, body.count)))
        }
        try reader.finish()
        return self.joined(events)
    }

    private static func joined(_ events: [MultipartReader.Event]) -> [MultipartReader.Event] {
        events.reduce(into: []) { result, event in
            if case .content(let more) = event, case .content(let before) = result.last {
                result[result.count - 1] = .content(before + more)
            } else {
                result.append(event)
            }
        }
    }

    @Test("is the same however it is cut", arguments: [1, 2, 3, 7, 64, 1000])
    func cuts(step: Int) throws {
        let events = try Self.events(Self.body, by: step)
        #expect(
            events == [
                .part(disposition: " form-data; name=\"x\""), .content(Array("1\r\n2\r\n--a".utf8)), .partEnded,
                .part(disposition: " form-data; name=\"image\"; filename=\"C:\\\\dir\\\\a.jpg\""), .partEnded, .ended,
            ])
    }

    @Test("brings any bytes through, its own boundary's beginning among them")
    func bytes() throws {
        var random = SeededRandom(seed: 5)
        let letters = Array("\r\n--a bc".utf8)
        for _ in 0..<300 {
            var content = (0..<200).map { _ in letters.randomElement(using: &random) ?? 0 }
            while String(decoding: [0x0D, 0x0A] + content, as: UTF8.self).contains("\r\n--a b") {
                content = content.map { $0 == 0x20 ? 0x21 : $0 }
            }
            let body = Array("--a b\r\n\r\n".utf8) + content + Array("\r\n--a b--".utf8)
            let events = try Self.events(body, by: Int.random(in: 1...50, using: &random))
            #expect(events == [.part(disposition: ""), .content(content), .partEnded, .ended])
        }
    }

    @Test("may have a head of eight kibibytes and no more, however it is cut", arguments: [1, 1000, 8199, 10_000])
    func maximumHeadBytes(step: Int) throws {
        for (length, isTaken) in [(8190, true), (8191, false)] {
            let head = String(repeating: "y", count: length)
            let body = Array("--a b\r\n\(head)\r\n\r\n\r\n--a b--".utf8)
            if isTaken {
                #expect(try Self.events(body, by: step) == [.part(disposition: ""), .partEnded, .ended])
            } else {
                #expect(throws: MultipartReader.Failure.headTooLong) { try Self.events(body, by: step) }
            }
        }
    }

    @Test("that is broken off, too long in its heads or of too many parts is refused")
    func refusals() throws {
        for end in [0, 1, 20, 60, Self.body.count - 20] {
            #expect(throws: MultipartReader.Failure.truncated) { try Self.events(Array(Self.body[..<end]), by: 9) }
        }
        let long = Array("--a b\r\nx: \(String(repeating: "y", count: 9000))".utf8)
        #expect(throws: MultipartReader.Failure.headTooLong) { try Self.events(long, by: 100) }
        let many = Array(String(repeating: "--a b\r\n\r\n\r\n", count: 33).utf8)
        #expect(throws: MultipartReader.Failure.tooManyParts) { try Self.events(many, by: 100) }
        #expect(throws: MultipartReader.Failure.malformed) { try Self.events(Array("--a bc\r\n".utf8), by: 100) }
        for type in [
            "", "text/plain", "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; a",
        ] {
            #expect(throws: MultipartReader.Failure.noBoundary) { try MultipartReader(contentType: type) }
        }
    }

    @Test("says what its parts are called")
    func parameters() {
        let value = " form-data; x; name=a ; FileName=\"a;\\\"b\\\".jpg\"; y=1"
        #expect(ContentDisposition.parameter("name", of: value) == "a")
        #expect(ContentDisposition.parameter("filename", of: value) == "a;\"b\".jpg")
        #expect(ContentDisposition.parameter("y", of: value) == "1")
        #expect(ContentDisposition.parameter("z", of: value) == nil)
        #expect(ContentDisposition.parameter("name", of: "form-data; name=\"a") == "a")
    }

    @Test("goes out under a name that ends no line and no quote")
    func names() {
        #expect(
            ContentDisposition.value(inline: true, name: "图\"\\%.png")
                == "inline; filename=\"____.png\"; filename*=UTF-8''%E5%9B%BE%22%5C%25.png")
        #expect(ContentDisposition.value(inline: false, name: nil) == "attachment")
    }
}
