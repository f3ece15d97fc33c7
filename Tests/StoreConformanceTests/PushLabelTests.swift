import Keeping
import Testing
import Vocabulary

@Suite("What a device is found by")
struct PushLabelTests {
    @Test(
        "H05 has letters, digits, ideographs and some signs",
        arguments: ["a", "Z9", "_@!#$&*+=.|", "\u{8336}\u{9986}", "1.", ".1", "\u{3400}\u{9FFF}"])
    func legal(text: String) throws { #expect(try PushLabel(text).text == text) }

    @Test(
        "H05 has no other letters",
        arguments: ["a-b", "a:b", "a b", "a,b", "a/b", "\u{E9}", "\u{1F375}", "a\n", "\u{FF0C}", "a\u{300}"])
    func letters(text: String) { #expect(throws: PushLabel.Fault.wrongLetters) { try PushLabel(text) } }

    @Test("H05 has 1 to 40 bytes of UTF-8")
    func length() throws {
        #expect(throws: PushLabel.Fault.empty) { try PushLabel("") }
        let ideographs = String(repeating: "\u{8336}", count: 13)
        #expect(try PushLabel(ideographs + "a").text.utf8.count == 40)
        #expect(throws: PushLabel.Fault.tooLong) { try PushLabel(ideographs + "ab") }
        #expect(try PushLabel(String(repeating: "a", count: 40)).text.utf8.count == 40)
        #expect(throws: PushLabel.Fault.tooLong) { try PushLabel(String(repeating: "a", count: 41)) }
    }

    @Test("H06 is a user's id where that is legal", arguments: ["alice", "a.b", "a_b@c", "a+b=c"])
    func legalName(id: String) throws {
        let user = try #require(UserID(id))
        #expect(PushLabel(of: user).text == id)
    }

    @Test(
        "H06 is derived from a user's id where that is not legal, the same every time",
        arguments: ["a-b", "a:b", String(repeating: "a", count: 41)])
    func derivedName(id: String) throws {
        let label = PushLabel(of: try #require(UserID(id)))
        #expect(label == PushLabel(of: try #require(UserID(id))))
        #expect(label != PushLabel(of: try #require(UserID("a-c"))))
        #expect(label.text.hasPrefix("u.") && label.text.utf8.count == PushLabel.maximumBytes)
        #expect(try PushLabel(label.text) == label, "what is derived is legal")
    }

    @Test("H04 a registration is 19 hexadecimal digits")
    func registration() {
        var random = SystemRandomNumberGenerator()
        let registration = RegistrationID(using: &random)
        #expect(RegistrationID(registration.text) == registration)
        for text in ["", "1507bfd3f7c568d476", "1507bfd3f7c568d47612", "1507BFD3F7C568D4761", "1507bfd3f7c568d476g"] {
            #expect(RegistrationID(text) == nil)
        }
    }
}
