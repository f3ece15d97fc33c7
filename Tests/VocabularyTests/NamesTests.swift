import TestSupport
import Testing
import Vocabulary

@Suite("Names")
struct NamesTests {
    @Test("of users, devices and messages hold 1 to 64 plain characters")
    func plainNames() {
        let longest = String(repeating: "a", count: 64)
        for good in ["a", "Ann_B", "ann@example.org:8", "a+b=c.d-e", longest] {
            #expect(UserID(good)?.text == good)
            #expect(DeviceID(good)?.text == good)
            #expect(MessageID(good)?.text == good)
            #expect(ConversationID(good)?.text == good)
        }
        for bad in ["", longest + "a", "a b", "a/b", "é", "a\0", "\"", "<a>"] {
            #expect(UserID(bad) == nil)
            #expect(DeviceID(bad) == nil)
            #expect(MessageID(bad) == nil)
            #expect(ConversationID(bad) == nil)
        }
    }

    @Test("of rooms hold lowercase letters, digits and dashes")
    func roomNames() {
        #expect(RoomName("kitchen-2")?.text == "kitchen-2")
        for bad in ["", "Kitchen", "a_b", "厨房", String(repeating: "a", count: 65)] { #expect(RoomName(bad) == nil) }
    }

    @Test("that people read may be in any script and are trimmed")
    func displayNames() {
        #expect(DisplayName("  Ann \n")?.text == "Ann")
        #expect(DisplayName("小明")?.text == "小明")
        #expect(DisplayName("👩‍👩‍👧")?.text == "👩‍👩‍👧")
        #expect(DisplayName(String(repeating: "语", count: 64)) != nil)
        #expect(DisplayName("Ann  von\u{3000}\u{A0}B")?.text == "Ann von B")
        for name in ["Ann", "Ann B.", " Ann", "Ann ", "Ann  B", "~user!"] {
            #expect(DisplayName(name)?.text == name.split(separator: " ").joined(separator: " "))
        }
        #expect(DisplayName(String(repeating: "a", count: 64)) != nil)
        #expect(DisplayName(String(repeating: "a", count: 65)) == nil)
    }

    @Test(
        "that people read hide nothing",
        arguments: ["", "   ", "a\0b", "a\nb", "a\u{2028}b", "a\u{202E}b", "a\u{2066}b", "\u{7F}", "a\u{85}b"])
    func refusedDisplayNames(_ text: String) {
        #expect(DisplayName(text) == nil)
    }

    @Test(
        "L4 that people read have no letters that cannot be seen",
        arguments: [
            0xAD, 0x34F, 0x61C, 0x115F, 0x180B, 0x200B, 0x200C, 0x200D, 0x2060, 0x2064, 0x2800, 0x3164, 0xE000, 0xFE0F,
            0xFEFF, 0xFFA0, 0xFFF9, 0xE0061,
        ] as [UInt32])
    func invisible(_ value: UInt32) throws {
        let hidden = String(try #require(Unicode.Scalar(value)))
        for text in ["alice\(hidden)", "\(hidden)alice", "al\(hidden)ice", "李\(hidden)明", hidden] {
            #expect(DisplayName(text) == nil, "\(text.unicodeScalars.map(\.value))")
        }
    }

    @Test(
        "L4 that people read mix no alphabets within a word",
        arguments: [
            "\u{430}lice", "alic\u{435}1", "B\u{3BF}b", "\u{391}nn", "jos\u{455}", "\u{13AA}ary", "a\u{43E}\u{301}",
        ])
    func mixed(_ text: String) {
        #expect(DisplayName(text) == nil)
    }

    @Test(
        "L4 that people read keep what belongs to their scripts",
        arguments: [
            "Анна Smith", "Анна-Maria", "Ξένια", "株式会社ABC", "キャサリン太郎", "김철수Kim", "می\u{200C}خواهم", "क्\u{200D}ष",
            "José 3", "O'Brien",
            "❤\u{FE0F} Ann", "👩🏽\u{200D}🚀 Eva", "🏳\u{FE0F}\u{200D}🌈", "שלום Bob", "Đặng Thị",
            "x".uppercased() + "\u{308}",
        ])
    func kept(_ text: String) {
        #expect(DisplayName(text) != nil, "\(text)")
    }

    @Test("that people read are bounded in characters and in bytes")
    func boundedDisplayNames() {
        #expect(DisplayName(String(repeating: "a", count: 65)) == nil)
        #expect(DisplayName("a" + String(repeating: "\u{301}", count: 600)) == nil)
    }
}

@Suite("A random token")
struct RandomTokenTests {
    @Test("comes back from its 20 characters")
    func roundTrip() throws {
        var random = SeededRandom(seed: 1)
        var seen: Set<RandomToken> = []
        for _ in 0..<1000 {
            let token = RandomToken(using: &random)
            #expect(token.text.utf8.count == RandomToken.length)
            #expect(RandomToken(token.text) == token)
            #expect(token.isEqualInConstantTime(to: token))
            #expect(seen.insert(token).inserted)
        }
    }

    @Test("uses every URL-safe character, each for itself")
    func alphabet() throws {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        for letter in letters {
            let text = "AAAAAAAAA\(letter)BBBBBBBBBB"
            #expect(RandomToken(text)?.text == text)
        }
    }

    @Test(
        "Text of another form is no random token",
        arguments: ["", "AAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAA+", "AAAAAAAAAAAAAAAAAAAé"])
    func refused(_ text: String) {
        #expect(RandomToken(text) == nil)
        #expect(SessionID(text) == nil)
        #expect(CallID(text) == nil)
    }

    @Test("makes a key to resume with, whose secret half counts")
    func resumeKey() throws {
        var random = SeededRandom(seed: 2)
        let key = ResumeKey(of: SessionID(using: &random), using: &random)
        let text = key.text
        #expect(text.utf8.count == 40)
        #expect(ResumeKey(text) == key)
        let forged = try #require(ResumeKey(text.prefix(39) + (text.last == "A" ? "B" : "A")))
        #expect(forged != key)
        #expect(forged.hashValue == key.hashValue)
        #expect(ResumeKey(String(text.dropLast())) == nil)
    }

    @Test(
        "names events by their offsets in one way only", arguments: ["", "-1", "+1", "01", "A", " 1", "zzzzzzzzzzzzzz"])
    func offsets(_ text: String) {
        #expect(EventOffset(text) == nil)
        #expect(EventOffset(EventOffset(.max).text) == EventOffset(.max))
        #expect(EventOffset("0") == EventOffset(0))
    }
}

@Suite("An instant")
struct InstantTests {
    @Test("moves by durations and measures them")
    func moves() {
        let start = Instant(milliseconds: 5)
        let later = start + .seconds(2)
        #expect(later.nanoseconds == 2_005_000_000)
        #expect(start.duration(to: later) == .seconds(2))
        #expect(later - .seconds(2) == start)
        #expect(start < later)
    }

    @Test("stops at the ends of time")
    func clamps() {
        let end = Instant(nanoseconds: .max)
        #expect(end + .seconds(1) == end)
        #expect(Instant(nanoseconds: .min) - .seconds(1) == Instant(nanoseconds: .min))
        #expect(Instant(milliseconds: 0) + .seconds(Int64.max) == end)
        #expect(Instant(milliseconds: .max) == end)
        #expect((.zero - Duration.seconds(Int64.max)).clampedMilliseconds == .min)
    }

    @Test("counts whole milliseconds for the wire")
    func milliseconds() {
        #expect(Duration.milliseconds(300).clampedMilliseconds == 300)
        #expect(Duration.seconds(25).clampedMilliseconds == 25_000)
        #expect(WallTime(milliseconds: 1) < WallTime(milliseconds: 2))
    }
}
