import Testing
import Web

@Suite("HTTP fields")
struct HTTPFieldsTests {
    @Test("are found in any case and keep their order")
    func lookup() {
        var fields: HTTPFields = ["Accept": "a", "X-One": "1"]
        fields.append("accept", "b")
        #expect(fields["ACCEPT"] == "a" && fields.values(of: "Accept") == ["a", "b"] && fields.count == 3)
        #expect(fields.map(\.name) == ["Accept", "X-One", "accept"])
        #expect(fields["Accep"] == nil && fields.contains("x-one"))
    }

    @Test("are set once and removed altogether")
    func setAndRemove() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        fields["a"] = "4"
        #expect(fields == ["a": "4", "B": "2"])
        fields["C"] = "5"
        fields["A"] = nil
        #expect(fields == ["B": "2", "C": "5"])
        fields.remove("Z")
        #expect(fields.count == 2)
    }

    @Test("are written as they are, whatever became of them before")
    func writing() {
        var fields: HTTPFields = ["A": "1", "B": " 2 ", "C": "3", "D": "4"]
        #expect(Self.written(["A": "1", "C": "3"]) == "A: 1\r\nC: 3\r\n")
        #expect(Self.written(fields) == "A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n")
        fields["C"] = nil
        fields["a"] = "5"
        fields.append("E", "6")
        #expect(Self.written(fields) == "a: 5\r\nB: 2\r\nD: 4\r\nE: 6\r\n")
    }

    private static func written(_ fields: HTTPFields) -> String {
        var out: [UInt8] = []
        fields.write(into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    @Test("never carry a line break out", arguments: ["a\r\nSet-Cookie: b", "a\nb", "a\rb", "a\0b", "a\u{7F}b"])
    func injection(value: String) {
        var out: [UInt8] = []
        let fields: HTTPFields = ["X": value]
        fields.write(into: &out)
        #expect(out.dropLast(2).allSatisfy { $0 >= 0x20 && $0 != 0x7F } && out.suffix(2) == [13, 10])
    }

    @Test("have names that are tokens", arguments: ["", "a b", "a:", "a\r\n", "é", "(a)"])
    func names(text: String) {
        #expect(HTTPFieldName(text) == nil)
    }

    @Test("HTTP fields trim the spaces around their values")
    func trimming() {
        #expect((["A": " \t b c \t"] as HTTPFields)["a"] == "b c")
    }

    @Test(
        "know the tokens of their lists",
        arguments: [
            ("a, b ,c", "B", true), ("a,b", "ab", false), ("upgrade", "Upgrade", true), (",, a ,", "a", true),
            ("", "a", false), ("keep-alive", "keep", false),
        ])
    func tokens(value: String, token: String, found: Bool) {
        #expect((["X": "", "Connection": value] as HTTPFields).hasToken(token, in: .connection) == found)
    }

    @Test("know the tokens of later lines too")
    func tokensOfLaterLines() {
        #expect((["A": "x", "a": "y, z"] as HTTPFields).hasToken("z", in: "A"))
    }

    @Test("list elements come with their parameters")
    func lists() {
        let items = HTTPListItem.parse("a; q=0.5;x , b;y=\"1, \\\"2\\\"\",, c")
        #expect(items?.map(\.name) == ["a", "b", "c"])
        #expect(items?[0].parameters.map(\.name) == ["q", "x"] && items?[0].parameters.map(\.value) == ["0.5", nil])
        #expect(items?[1].parameters.first?.value == "1, \"2\"")
    }

    @Test("a list is malformed", arguments: ["a b", "a;", "a;=b", "a;b=", "a;b=\"c", "a;b=\"c\\", "\"a\"", "a;b=c d"])
    func malformedLists(text: String) {
        #expect(HTTPListItem.parse(text) == nil)
    }

    @Test("a list has a limit")
    func listLimit() {
        #expect(HTTPListItem.parse(String(repeating: "a,", count: 32)) != nil)
        #expect(HTTPListItem.parse(String(repeating: "a,", count: 33)) == nil)
        #expect(HTTPListItem.parse("a" + String(repeating: ";b", count: 33)) == nil)
    }
}
