import JSON
import TestSupport
import Testing

/// What a whole text is, or why it is nothing.
func scan(_ bytes: [UInt8], depth: Int = JSONScanner.defaultDepth) -> Result<JSONValue, JSONError> {
    Result { () throws(JSONError) in try JSONReader(bytes.span).document(depth: depth) }
}

func scan(_ text: String, depth: Int = JSONScanner.defaultDepth) -> Result<JSONValue, JSONError> {
    scan(Array(text.utf8), depth: depth)
}

@Suite("A JSON scanner")
struct JSONScannerTests {
    @Test(
        "knows every kind of value",
        arguments: [
            ("{}", JSONValue.Kind.object), ("[]", .array), ("\"\"", .string), ("0", .number), ("true", .bool),
            ("false", .bool), ("null", .null), ("{\"a\":[1,{\"b\":null}],\"c\":\"d\"}", .object), ("[ 1 , 2 ]", .array),
            ("-0.5e+10", .number), ("1E9", .number), ("-0", .number), ("\"\\u00e9\\uD83D\\uDE00\\/\"", .string),
            ("\"你好 😀\"", .string), ("\"\\ud83d\"", .string), ("\"eight by\"", .string), ("\"nine byte\"", .string),
        ])
    func accepts(_ text: String, _ kind: JSONValue.Kind) throws {
        let value = try scan(text).get()
        #expect(value == JSONValue(kind, at: 0..<text.utf8.count))
        let padded = try scan(" \t\r\n" + text + " \n").get()
        #expect(padded == JSONValue(kind, at: 4..<4 + text.utf8.count))
    }

    @Test(
        "refuses what only looks like JSON",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
            "{a:1}", "{1:1}", "{\"a\":1 \"b\":2}", "[1}", "{\"a\":1]", "tru", "truE", "nul", "falsey", "01", "-", "+1",
            "1.", ".5", "1e", "1e+", "0x1", "NaN", "Infinity", "'a'", "\"", "\"a", "\"\\\"", "\"\\x\"", "\"\\u12\"",
            "\"\\u12g4\"", "\"a\nb\"", "\"a\tb\"", "\"0123456789\u{01}\"", "1 2", "{} {}", "\u{FEFF}1",
        ])
    func refuses(_ text: String) {
        #expect(throws: JSONError.self) { try scan(text).get() }
    }

    @Test("says where the text stopped making sense")
    func offsets() {
        #expect(scan("[1,x]") == .failure(JSONError(.unexpected, at: 3)))
        #expect(scan("[1,") == .failure(JSONError(.truncated, at: 3)))
        #expect(scan("\"ab\u{1}\"") == .failure(JSONError(.unexpected, at: 3)))
        #expect(scan("[] x") == .failure(JSONError(.unexpected, at: 3)))
    }

    @Test("finds what ends a string at any place of it", arguments: [0x22, 0x5C, 0x00, 0x1F, 0x80, 0xFF] as [UInt8])
    func places(_ special: UInt8) {
        for length in 1..<70 {
            for index in 0..<length {
                var text = [UInt8](repeating: 0x61, count: length)
                text[index] = special
                let expected: Result<JSONValue, JSONError> =
                    switch special {
                    case 0x22 where index == length - 1: .success(JSONValue(.string, at: 0..<index + 2))
                    case 0x22: .failure(JSONError(.unexpected, at: index + 2))
                    case 0x5C where index == length - 1: .failure(JSONError(.truncated, at: length + 2))
                    case 0x5C: .failure(JSONError(.unexpected, at: index + 2))
                    case 0x80...: .failure(JSONError(.malformedText, at: 1))
                    default: .failure(JSONError(.unexpected, at: index + 1))
                    }
                let isOver = special == 0x22 && index == length - 1
                #expect(scan([0x22] + text + (isOver ? [] : [0x22])) == expected, "\(length), \(index)")
            }
        }
    }

    @Test("steps over what it has proven to the same place")
    func provenText() throws {
        var random = SeededRandom(seed: 8259)
        let pieces = [#"\\"#, #"\""#, #"\n\r"#, "a", "sixteen letters!", "你", #"\u0041"#, "[{", "}]"]
        for _ in 0..<500 {
            let strings = (0..<3).map { _ in
                "\""
                    + (0..<Int.random(in: 0...12, using: &random)).map { _ in
                        pieces.randomElement(using: &random) ?? ""
                    }.joined() + "\""
            }
            let bytes = Array("[\(strings.joined(separator: ","))]".utf8)
            let reader = JSONReader(bytes.span)
            var elements = reader.elements(of: try reader.document())
            for string in strings {
                let value = elements.next()
                #expect(value.map { reader.raw($0) } == Array(string.utf8))
            }
            let more = elements.next()
            #expect(more == nil)
        }
    }

    @Test("refuses strings that are not UTF-8")
    func malformedText() {
        for bad: [UInt8] in [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE4, 0xBD], [0x80], [0xF5, 0x80, 0x80, 0x80],
        ] {
            for padding in 0..<9 {
                let text = [UInt8(ascii: "\"")] + [UInt8](repeating: 0x61, count: padding) + bad + [UInt8(ascii: "\"")]
                #expect(scan(text) == .failure(JSONError(.malformedText, at: 1)))
            }
        }
    }

    @Test("goes as deep as it is told and no deeper")
    func depth() throws {
        func nest(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try scan(nest(64)).get() }
        #expect(scan(nest(65)) == .failure(JSONError(.tooDeep, at: 64)))
        #expect(scan(String(repeating: "[", count: 1_000_000)) == .failure(JSONError(.tooDeep, at: 64)))
        #expect(scan(String(repeating: "{\"a\":", count: 100), depth: 3) == .failure(JSONError(.tooDeep, at: 15)))
        #expect(throws: Never.self) { try scan("[" + nest(63) + "," + nest(63) + "]").get() }
    }

    @Test("finds a special byte at every place of a word")
    func everyPlace() throws {
        for length in 0..<40 {
            let plain = String(repeating: "x", count: length)
            #expect(try scan("\"\(plain)\"").get().range.count == length + 2)
            #expect(scan("\"\(plain)\u{1F}\"") == .failure(JSONError(.unexpected, at: length + 1)))
            #expect(try scan("\"\(plain)\\n\(plain)\"").get().range.count == 2 * length + 4)
            #expect(try scan("\"\(plain)é\(plain)\u{7F}\"").get().range.count == 2 * length + 5)
        }
    }

    @Test("sees the end of a text wherever it is cut")
    func cuts() throws {
        let text = Array("{\"a\":[1,-2.5e3,\"你\\u00e9\\n\",true,false,null,{}],\"b\":{\"c\":\"0123456789\"}}".utf8)
        #expect(throws: Never.self) { try scan(text).get() }
        for end in 0..<text.count {
            #expect(throws: JSONError.self) { try scan(Array(text[..<end])).get() }
        }
    }

    @Test("accepts whatever the writer writes, and survives whatever becomes of it")
    func fuzz() throws {
        var random = SeededRandom(seed: 11)
        for _ in 0..<3000 {
            var writer = JSONWriter()
            RandomJSON.write(depth: 5, to: &writer, using: &random)
            var text = writer.bytes
            #expect(try scan(text).get().range == 0..<text.count)
            for _ in 0..<3 { text[Int.random(in: text.indices, using: &random)] = .random(in: 0...255, using: &random) }
            // Whether it is still JSON is open; that the two readings agree is not.
            if case .success(let value) = scan(text) { #expect(RandomJSON.walk(text, value)) }
        }
    }
}

enum RandomJSON {
    static func write(depth: Int, to json: inout JSONWriter, using random: inout SeededRandom) {
        switch Int.random(in: depth > 0 ? 0..<7 : 2..<7, using: &random) {
        case 0:
            let count = Int.random(in: 0..<4, using: &random)
            json.open(UInt8(ascii: "["))
            for _ in 0..<count { self.write(depth: depth - 1, to: &json, using: &random) }
            json.close(UInt8(ascii: "]"))
        case 1:
            let count = Int.random(in: 0..<4, using: &random)
            json.open(UInt8(ascii: "{"))
            for _ in 0..<count {
                json.key(self.text(using: &random))
                self.write(depth: depth - 1, to: &json, using: &random)
            }
            json.close(UInt8(ascii: "}"))
        case 2: json.string(self.text(using: &random))
        case 3: json.integer(Int64.random(in: .min ... .max, using: &random))
        case 4: json.bool(.random(using: &random))
        case 5: json.null()
        default: json.raw("-1.5e-3".utf8.span)
        }
    }

    static func text(using random: inout SeededRandom) -> String {
        let pieces = ["a", "\"", "\\", "\n", "\u{0}", "\u{1F}", "é", "你好", "😀", "𠀀", "0123456789abcdef", "/", "\u{7F}"]
        return (0..<Int.random(in: 0..<6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    /// Reads everything that can be read; true when all of it could be.
    static func walk(_ bytes: [UInt8], _ value: JSONValue) -> Bool {
        let reader = JSONReader(bytes.span)
        switch value.kind {
        case .array:
            var elements = reader.elements(of: value)
            while let element = elements.next() { guard self.walk(bytes, element) else { return false } }
            return true
        case .object:
            var members = reader.members(of: value)
            while let member = members.next() {
                guard reader.text(at: member.key) != nil, self.walk(bytes, member.value) else { return false }
            }
            return true
        case .string: return reader.string(value) != nil
        case .bool: return reader.bool(value) != nil
        case .number, .null: return true
        }
    }
}
