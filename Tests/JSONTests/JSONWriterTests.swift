import JSON
import Testing

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

    @Test("what it wrote reads as it was, however long a text is and wherever its escape")
    func lengths() throws {
        for length in 0..<130 {
            for place in [nil, 0, length / 2, length - 1] where place.map({ (0..<length).contains($0) }) ?? true {
                var letters = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                if let place { letters[place] = UInt8(ascii: "\"") }
                let plain = String(decoding: letters, as: UTF8.self)
                let bytes = JSONWriter.bytes { json in json.array { $0.object { $0.field(plain, plain) } } }
                let name = bytes[2..<(bytes.count - 2)].prefix((bytes.count - 5) / 2)
                let read = JSONReader(bytes.span).text(at: name.indices)
                #expect(read == plain)
            }
        }
    }
}
