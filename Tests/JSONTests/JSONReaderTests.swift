import JSON
import Testing

@Suite("A JSON reader")
struct JSONReaderTests {
    private func read<Result>(_ text: String, _ body: (borrowing JSONReader, JSONValue) -> Result) throws -> Result {
        let bytes = Array(text.utf8)
        let reader = JSONReader(bytes.span)
        return body(reader, try reader.document())
    }

    private func string(_ text: String) throws -> String? {
        try self.read(text) { reader, value in reader.string(value) }
    }

    private func integer(_ text: String) throws -> Int? {
        try self.read(text) { reader, value in reader.integer(value) }
    }

    @Test(
        "finds a value that was proven before by its ends alone",
        arguments: ["{\"a\":1}", " [1] ", "\"a\"\n", "-1", "true", "null"])
    func provenDocuments(_ text: String) throws {
        try self.read(text) { reader, value in #expect(reader.provenDocument == value) }
    }

    @Test("takes the escapes out of strings")
    func strings() throws {
        #expect(try self.string("\"\"") == "")
        #expect(try self.string("\"你好\"") == "你好")
        #expect(try self.string(#""\"\\\/\b\f\n\r\t""#) == "\"\\/\u{8}\u{C}\n\r\t")
        #expect(try self.string(#""\u4f60\u597D x""#) == "你好 x")
        #expect(try self.string(#""\ud83d\ude00!""#) == "😀!")
        #expect(try self.string("1") == nil)
    }

    @Test("shows half a surrogate pair as a replacement character", arguments: [#""\ud83d""#, #""\ude00""#])
    func halves(_ text: String) throws {
        #expect(try self.string(text) == "\u{FFFD}")
        #expect(try self.string(#""\ud83d\u0041""#) == "\u{FFFD}A")
        #expect(try self.string(#""\ud83dx""#) == "\u{FFFD}x")
        #expect(try self.string(#""\ud83d\ud83d\ude00""#) == "\u{FFFD}😀")
    }

    @Test("takes whole numbers that fit and no others")
    func integers() throws {
        #expect(try self.integer("0") == 0)
        #expect(try self.integer("-0") == 0)
        #expect(try self.integer("9223372036854775807") == .max)
        #expect(try self.integer("-9223372036854775808") == .min)
        for other in ["9223372036854775808", "-9223372036854775809", "1.0", "1e3", "\"1\"", "true"] {
            #expect(try self.integer(other) == nil)
        }
        #expect(try self.integer(String(repeating: "9", count: 400)) == nil)
    }

    private func member(_ name: String, of text: String) throws -> String? {
        try self.read(text) { reader, object in
            reader.member(name, of: object).map { String(decoding: reader.raw($0), as: UTF8.self) }
        }
    }

    private func says(_ text: String, in json: String) throws -> Bool {
        try self.read(json) { reader, value in reader.isString(at: value.range, equalTo: text) }
    }

    @Test("finds members by their names, however these are escaped, and believes the last")
    func members() throws {
        let text = #"{"a":1,"b":"x","\u0061":2,"c":{"a":3}}"#
        #expect(try self.member("a", of: text) == "2")
        #expect(try self.member("b", of: text) == "\"x\"")
        #expect(try self.member("c", of: text) == "{\"a\":3}")
        #expect(try self.member("d", of: text) == nil)
        #expect(try self.member("", of: text) == nil)
        #expect(try self.member("a", of: "[1]") == nil)
    }

    @Test("compares strings without being fooled by a backslash")
    func comparison() throws {
        #expect(try self.says("\n", in: #""\n""#))
        #expect(try !self.says(#"\n"#, in: #""\n""#))
        #expect(try !self.says("n", in: #""\n""#))
        #expect(try self.says(#"\"#, in: #""\\""#))
        #expect(try !self.says(#"\\"#, in: #""\\""#))
        #expect(try self.says("K", in: #""\u004B""#))
        #expect(try !self.says("K", in: #""\u212A""#), "the sign for kelvin is no K")
    }

    @Test("walks over elements and gives their raw bytes")
    func elements() throws {
        try self.read(#" [ 1 , "a" ,{ "b" : [] },null ] "#) { reader, array in
            var elements = reader.elements(of: array)
            var raw: [String] = []
            while let element = elements.next() { raw.append(String(decoding: reader.raw(element), as: UTF8.self)) }
            #expect(raw == ["1", "\"a\"", "{ \"b\" : [] }", "null"])
        }
        try self.read("{}") { reader, object in
            var elements = reader.elements(of: object)
            let first = elements.next()
            #expect(first == nil)
        }
    }
}
