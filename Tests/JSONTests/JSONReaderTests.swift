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

@Suite("A JSON writer")
struct JSONWriterTests {
    @Test("names members and writes their values")
    func fields() {
        var json = JSONWriter()
        json.object { json in
            json.field("text", "a")
            json.field("number", UInt64.max)
            json.field("flag", false)
            json.field("raw", raw: Array("[1]".utf8))
            json.field("value") { $0.null() }
            json.object("object") { $0.field("inner", 1) }
            json.array("array") { $0.integer(2) }
            json.array("list", of: ["a", "b"]) { $0.string($1) }
        }
        let text =
            #"{"text":"a","number":18446744073709551615,"flag":false,"raw":[1],"value":null,"object":{"inner":1},"#
            + #""array":[2],"list":["a","b"]}"#
        #expect(String(decoding: json.bytes, as: UTF8.self) == text)
    }

    @Test("leaves out what is nil, or writes null for it")
    func missing() {
        let json = JSONWriter.object { json in
            json.optional("a", nil as String?)
            json.optional("b", "x" as String?)
            json.optional("c", nil as Int?)
            json.optional("d", 1 as Int?)
            json.members([("e", nil), ("f", "y")])
            json.nullable("g", nil as String?)
            json.nullable("h", 2 as Int?)
            json.nullable("i", false as Bool?)
            json.field("j") { $0.fields(("k", "z")) { $0.field("l", true) } }
        }
        let text = #"{"b":"x","d":1,"f":"y","g":null,"h":2,"i":false,"j":{"k":"z","l":true}}"#
        #expect(String(decoding: json, as: UTF8.self) == text)
    }

    @Test("sets its commas itself")
    func commas() {
        var json = JSONWriter()
        json.object { json in
            json.key("a")
            json.array { json in
                json.integer(-1)
                json.string("{[:,")
                json.bool(false)
                json.object { _ in }
                json.array { _ in }
                json.null()
            }
            json.key("b")
            json.raw("[1, 2]".utf8.span)
            json.key("c")
            json.integer(UInt64.max)
        }
        let expected = #"{"a":[-1,"{[:,",false,{},[],null],"b":[1, 2],"c":18446744073709551615}"#
        #expect(String(decoding: json.bytes, as: UTF8.self) == expected)
    }

    @Test("escapes what must be escaped and nothing else")
    func escapes() {
        var json = JSONWriter()
        json.string("\"\\/\n\r\t\u{0}\u{1F}\u{7F}é你😀")
        #expect(String(decoding: json.bytes, as: UTF8.self) == "\"\\\"\\\\/\\n\\r\\t\\u0000\\u001f\u{7F}é你😀\"")
    }

    @Test("goes on behind what is there")
    func continues() {
        var json = JSONWriter(after: Array("42[\"chat\"".utf8))
        json.raw("".utf8.span)
        json.raw("1,2".utf8.span)
        json.close(UInt8(ascii: "]"))
        #expect(String(decoding: json.bytes, as: UTF8.self) == "42[\"chat\",1,2]")
    }

    @Test("writes whole numbers as they are printed")
    func wholeNumbers() {
        let numbers: [Int64] = [0, 1, -1, 9, 10, -10, 99, 100, 1_234_567_890, .min, .max]
        for number in numbers {
            var json = JSONWriter()
            json.integer(number)
            #expect(json.bytes == Array(String(number).utf8))
        }
        var json = JSONWriter()
        json.array { json in
            json.integer(UInt64.max)
            json.integer(Int8.min)
            json.integer(7 as UInt8)
        }
        #expect(String(decoding: json.bytes, as: UTF8.self) == "[18446744073709551615,-128,7]")
    }
}
