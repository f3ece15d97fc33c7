import Keeping
import Operations
import Testing
import Vocabulary

@testable import Service

@Suite("What programs settle by RongCloud's interface")
struct RongCloudSettingsTests {
    @Test(
        "M02.templates marks are filled in once, the longer ones first, and stay JSON",
        arguments: [
            ("{a}{b}", "12"), ("{ab}", "long"), ("{a", "{a"), ("", ""), ("{c}{a}", #"\"{a}1"#),
        ])
    func templates(template: String, filled: String) {
        let values = [("{ab}", "long"), ("{a}", "1"), ("{b}", "2"), ("{c}", #""{a}"#)]
        #expect(RongCloudTemplate.filled(template, values.map { (mark: $0.0, text: $0.1) }) == filled)
    }

    @Test("M02.templates a template says the same number of values and users, and each message is checked")
    func refused() throws {
        func template(_ more: String) -> [UInt8] {
            Array(
                #"{"fromUserId":"a","toUserId":["b"],"objectName":"RC:TxtMsg","content":"{\"content\":\"x\"}"\#(more)}"#
                    .utf8)
        }
        #expect(try RongCloudTemplate(template(#","values":[{}]"#), 1...1).messages.count == 1)
        for wrong in [#","values":[]"#, #","values":[1]"#, "", #","values":[{},{}]"#] {
            #expect(throws: RongCloudProblem.self) { try RongCloudTemplate(template(wrong), 1...1) }
        }
        let whole = template(#","values":[{"{x}":"y"}]"#)
        for end in 0..<whole.count {
            #expect(throws: RongCloudProblem.self) { try RongCloudTemplate(Array(whole[..<end]), 1...1) }
        }
    }

    @Test("M02.templates what a template says in all is bounded, and how long it is looked through")
    func largeTemplates() {
        func template(_ content: String, _ values: [String]) -> [UInt8] {
            let users = values.indices.map { "\"u\($0)\"" }.joined(separator: ",")
            return Array(
                #"{"fromUserId":"a","toUserId":[\#(users)],"objectName":"app:own","content":"\#(content)","#.utf8)
                + Array(#""values":[\#(values.joined(separator: ","))]}"#.utf8)
        }
        let letters = String(repeating: "a", count: 1000)
        // A text in the place of each letter, a long one for each of many, and many marks that are nowhere.
        let long = #"{"a":"\#(String(repeating: "b", count: 200))"}"#
        let longer = #"{"a":"\#(String(repeating: "b", count: 120))"}"#
        let marks = "{" + (0..<80).map { #""ab\#($0)":"""# }.joined(separator: ",") + "}"
        for (content, values) in [
            (letters, [long]), (letters, Array(repeating: longer, count: 200)),
            (String(repeating: letters, count: 100), Array(repeating: marks, count: 100)),
        ] {
            #expect(throws: RongCloudProblem.self) { try RongCloudTemplate(template(content, values), 1...1000) }
        }
        #expect(throws: Never.self) {
            try RongCloudTemplate(template(letters, Array(repeating: longer, count: 100)), 1...1000)
        }
    }

    @Test("M03.hours an hour is named by the clock of Beijing")
    func hours() throws {
        let span = try #require(RongCloudHours.span("2026112516"))
        #expect(span.lowerBound == WallTime(seconds: 1_795_593_600))
        #expect(span.upperBound == WallTime(seconds: 1_795_597_200))
        for wrong in ["", "202611251", "20261125160", "2026113216", "2026112524", "abcdefghij", "19690101 0"] {
            #expect(RongCloudHours.span(wrong) == nil, "\(wrong)")
        }
    }

    @Test("M01.callback what stands in a form of ours is escaped, and read back by ours")
    func escaped() throws {
        for text in ["", "a b+c&d=e%", "茶🍵", "\u{0}\n\"", "x-._~"] {
            let body = "content=\(RongCloudCallbacks.escaped(text))&end=1"
            let form = try #require(RongCloudForm(Array(body.utf8)))
            #expect(form["content"] ?? "" == text)
            #expect(form["end"] == "1")
        }
    }

    @Test("M06.silences a voice speaks where all others are silent, and no longer than it was said nobody is")
    func silences() throws {
        let now = WallTime(seconds: 1000)
        func record(_ book: String, _ value: String = "") -> DoorRecord { DoorRecord(.init(book, "x"), value, at: now) }
        let (voice, silent) = (record(RongCloudBook.voices + "rcg:x"), record(RongCloudBook.silentGroups))
        #expect(RongCloudGate.refusal([], at: now) == nil)
        #expect(RongCloudGate.refusal([silent], at: now)?.code == .silenced)
        #expect(RongCloudGate.refusal([silent, voice], at: now) == nil)
        #expect(RongCloudGate.refusal([record(RongCloudBook.stoppedRooms), voice], at: now)?.code == .silenced)
        #expect(
            RongCloudGate.refusal([record(RongCloudBook.silencedInRooms, "1000001"), voice], at: now)?.code == .silenced
        )
        #expect(RongCloudGate.refusal([record(RongCloudBook.silencedInRooms, "1000000")], at: now) == nil)
    }
}
