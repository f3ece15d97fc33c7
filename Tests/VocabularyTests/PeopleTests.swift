import Testing
import Vocabulary

@Suite("A user name")
struct UserNameTests {
    @Test("is 4 to 15 letters, digits and underscores", arguments: ["abcd", "Alice_1", "a__b", "123456789012345"])
    func good(text: String) throws {
        #expect(try UserName(text).text == text)
    }

    @Test(
        "A user name that is refused has its mistake named",
        arguments: [
            ("", UserName.Mistake.empty), ("abc", .tooShort), ("1234567890123456", .tooLong),
            ("_abc", .underscoreAtEdge),
            ("abc_", .underscoreAtEdge), ("a.bcd", .forbiddenCharacter), ("爱丽丝爱", .forbiddenCharacter),
            ("ab cd", .forbiddenCharacter), ("abcd\n", .forbiddenCharacter), ("abcd\0", .forbiddenCharacter),
        ])
    func bad(text: String, mistake: UserName.Mistake) {
        #expect(throws: mistake) { try UserName(text) }
    }
}

@Suite("A link to a picture")
struct AvatarLinkTests {
    @Test(
        "is a web address or a path on this server",
        arguments: [
            "images/1.png", "/images/1.png", "https://example.net/a?b=c:d#e", "HTTP://example.net/爱.png", "./a:b",
            "?a:b",
        ])
    func good(text: String) {
        #expect(AvatarLink(text)?.text == text)
    }

    @Test(
        "names no other scheme and ends no attribute",
        arguments: [
            "", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:image/png;base64,AA", "//evil.example/a", "a b",
            "a\"onerror=x", "a'b", "a<b", "\tjavascript:x", "http:evil", "file:///etc/passwd", "blob:x", "a\\b",
            String(repeating: "x", count: 1025),
        ])
    func bad(text: String) {
        #expect(AvatarLink(text) == nil)
    }
}

@Suite("A time of day")
struct WallTimeTests {
    @Test(
        "counts whole seconds downwards", arguments: [(0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2)])
    func seconds(milliseconds: Int64, seconds: Int64) {
        #expect(WallTime(milliseconds: milliseconds).seconds == seconds)
    }

    @Test("stops at the ends of time")
    func ends() {
        #expect(WallTime(seconds: .max).milliseconds == .max)
        #expect(WallTime(seconds: .min).milliseconds == .min)
        #expect((WallTime(milliseconds: .max) + .seconds(1)).milliseconds == .max)
        #expect((WallTime(milliseconds: .min) + .seconds(-1)).milliseconds == .min)
        #expect(WallTime(milliseconds: .min).seconds == -9_223_372_036_854_776)
    }
}
