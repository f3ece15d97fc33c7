import Testing

@testable import Service

@Suite("Messages of the realtime tree")
struct TreeWireTests {
    @Test(
        "L08 A long message goes in segments that no client takes for more than it can hold",
        arguments: [0, 1, 16_383, 16_384, 16_385, 50_000], ["x", "é", "😀"])
    func segments(count: Int, letter: String) throws {
        let text = Array((String(repeating: letter, count: count) + "x").utf8)
        let frames = TreeFraming.segments(of: text)
        for frame in frames {
            #expect(String(validating: frame, as: UTF8.self).map { $0.utf16.count <= 16_384 } == true)
        }
        var segments = TreeSegments()
        var whole: [[UInt8]] = []
        for frame in frames { if let found = try segments.add(frame.span) { whole.append(found) } }
        #expect(whole == [text])
        #expect(segments.byteCount == 0)
    }

    @Test("L08 A lone zero says nothing, and a count that is too large ends the connection")
    func counts() throws {
        var segments = TreeSegments()
        let (zero, many) = (Array("0".utf8), Array("999999".utf8))
        #expect(try segments.add(zero.span) == nil)
        #expect(throws: TreeSegments.TooLong.self) { try segments.add(many.span) }
    }

    @Test("L08 Parts of a polling page come together in whatever order they arrive, once each")
    func parts() throws {
        var parts = TreeParts()
        #expect(try parts.add(query: "seg0=1&ts0=3&d0=Ijoi").isEmpty)
        #expect(try parts.add(query: "seg0=2&ts0=3&d0=YyJ9").isEmpty)
        let whole = [Array(#"{"t":"c"}"#.utf8), Array("{}".utf8)]
        #expect(try parts.add(query: "seg0=0&ts0=3&d0=eyJ0&seg1=3&ts1=1&d1=e30.") == whole)
        #expect(try parts.add(query: "seg0=3&ts0=1&d0=e30.").isEmpty)
    }

    @Test(
        "L08 Parts that cannot be put together are refused",
        arguments: [
            "seg0=a&ts0=1&d0=e30", "seg0=0&d0=e30", "seg0=0&ts0=0&d0=e30", "seg0=0&ts0=1&d0=!", "seg0=-1&ts0=1&d0=e30",
            "%",
        ])
    func wrongParts(query: String) {
        var parts = TreeParts()
        #expect(throws: TreeParts.Wrong.self) { try parts.add(query: query) }
    }

    @Test(
        "What is no message of the protocol is none",
        arguments: [
            "", "{", "[]", "{}", #"{"t":"d"}"#, #"{"t":"d","d":{"r":"1","a":"s"}}"#, #"{"t":"x","d":{}}"#,
            #"{"t":"c","d":{}}"#,
        ])
    func messages(json: String) {
        let bytes = Array(json.utf8)
        #expect(TreeWireMessage(bytes.span) == nil)
    }

    @Test("JSON for people has a member in each line, whatever is in its texts")
    func pretty() {
        let json = Array(#"{"a":[],"b":{"c":"x{\",}:","d":[1,2]},"e":{}}"#.utf8)
        let text = String(decoding: PrettyJSON.text(of: json), as: UTF8.self)
        let lines = [
            "{", "  \"a\" : [],", "  \"b\" : {", "    \"c\" : \"x{\\\",}:\",", "    \"d\" : [", "      1,", "      2",
            "    ]", "  },",
            "  \"e\" : {}", "}", "",
        ]
        #expect(text == lines.joined(separator: "\n"))
    }
}
