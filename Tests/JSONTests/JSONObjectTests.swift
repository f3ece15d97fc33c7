import JSON
import Testing

@Suite("A JSON object")
struct JSONObjectTests {
    private static let anything = JSONObject.Rules()
    private static let strict = JSONObject.Rules(
        depth: 3, maximumMembers: 4, isStrict: true, names: ["a", "b", "c", "d"])

    private func required<Value>(
        _ name: String, _ type: JSONType<Value>, of text: String, _ rules: JSONObject.Rules = Self.anything
    ) -> Result<Value, JSONObjectError> {
        let bytes = Array(text.utf8)
        do throws(JSONObjectError) {
            return .success(try JSONObject(bytes.span, rules).required(name, type))
        } catch {
            return .failure(error)
        }
    }

    private func optional<Value>(
        _ name: String, _ type: JSONType<Value>, of text: String, _ rules: JSONObject.Rules = Self.anything
    ) -> Result<Value?, JSONObjectError> {
        let bytes = Array(text.utf8)
        do throws(JSONObjectError) {
            return .success(try JSONObject(bytes.span, rules).optional(name, type))
        } catch {
            return .failure(error)
        }
    }

    /// Why a text is no object under these rules.
    private func problem(_ bytes: [UInt8], _ rules: JSONObject.Rules = Self.anything) -> JSONObjectError? {
        do throws(JSONObjectError) {
            _ = try JSONObject(bytes.span, rules)
            return nil
        } catch {
            return error
        }
    }

    private func problem(_ text: String, _ rules: JSONObject.Rules = Self.anything) -> JSONObjectError? {
        self.problem(Array(text.utf8), rules)
    }

    @Test("gives a required member, an optional one and one that has a default")
    func accessors() throws {
        let text = #"{"text":"x","number":7,"flag":true,"object":{"inner":1},"list":["a","b"]}"#
        #expect(self.required("text", .text, of: text) == .success("x"))
        #expect(self.optional("number", .integer, of: text) == .success(7))
        #expect(self.optional("flag", .bool, of: text) == .success(true))
        #expect(self.required("list", JSONType.text.list(), of: text) == .success(["a", "b"]))
        #expect(self.required("list", JSONType.text.oneOrMore, of: text) == .success(["a", "b"]))
        #expect(self.required("text", JSONType.text.oneOrMore, of: text) == .success(["x"]))
        #expect(
            self.required("object", .object(maximumBytes: 11), of: text) == .success(Array(#"{"inner":1}"#.utf8)))
        let bytes = Array(text.utf8)
        let object = try JSONObject(bytes.span)
        let (known, unknown) = try (
            object.member("text", .text, default: "y"), object.member("absent", .integer, default: 3)
        )
        #expect(known == "x" && unknown == 3)
        let inner = object.object("object")["inner", .integer]
        let none = object.object("list").members.count + object.object("absent").members.count
        #expect(inner == 1 && none == 0)
    }

    @Test("tells an absent member from one of the wrong type")
    func absence() throws {
        let text = #"{"text":1,"number":"1","fraction":1.5,"list":["a",1],"long":["a","b"],"object":{"a":-1}}"#
        #expect(self.required("x", .text, of: text) == .failure(.missing("x")))
        #expect(self.optional("x", .text, of: text) == .success(nil))
        #expect(self.required("text", .text, of: text) == .failure(.wrongType("text")))
        #expect(self.optional("number", .integer, of: text) == .failure(.wrongType("number")))
        #expect(self.optional("fraction", .integer, of: text) == .failure(.wrongType("fraction")))
        #expect(self.optional("text", .bool, of: text) == .failure(.wrongType("text")))
        #expect(self.optional("list", JSONType.text.list(), of: text) == .failure(.wrongType("list")))
        #expect(self.optional("text", JSONType.text.list(), of: text) == .failure(.wrongType("text")))
        #expect(self.optional("long", JSONType.text.list(maximum: 1), of: text) == .failure(.wrongType("long")))
        #expect(self.optional("object", .object(maximumBytes: 7), of: text) == .failure(.wrongType("object")))
        let numbers = JSONType.integer.map { UInt64(exactly: $0) }.byName(maximum: 2) { $0 }
        #expect(self.optional("object", numbers, of: text) == .failure(.wrongType("object")))
        let bytes = Array(text.utf8)
        let object = try JSONObject(bytes.span)
        let lenient = [object["text", .text], object["x", .text]]
        #expect(lenient == [nil, nil])
    }

    @Test("takes a null for an absent member unless it is strict")
    func nulls() {
        let text = #"{"a":null}"#
        #expect(self.optional("a", .text, of: text) == .success(nil))
        #expect(self.required("a", .text, of: text) == .failure(.missing("a")))
        #expect(self.optional("a", .text, of: text, Self.strict) == .failure(.wrongType("a")))
    }

    @Test("lets the last of two members count unless it is strict, however their names are escaped")
    func duplicates() {
        let text = #"{"a":1,"\u0061":2}"#
        #expect(self.required("a", .integer, of: text) == .success(2))
        #expect(self.optional("a", .integer, of: #"{"a":1,"a":null}"#) == .success(nil))
        #expect(self.problem(text, Self.strict) == .duplicate("a"))
    }

    @Test("finds a name that stands twice among few and among many, and no other", arguments: [2, 8, 9, 60])
    func repetition(count: Int) {
        let rules = JSONObject.Rules(isStrict: true)
        let names = (1...count).map { "name\($0)" }
        let text = { (names: [String]) in "{\(names.map { "\"\($0)\":0" }.joined(separator: ","))}" }
        #expect(self.problem(text(names), rules) == nil)
        for (place, name) in names.enumerated() {
            for other in [name, name.replacing("n", with: "\\u006e")] {
                let twice = names[...place] + [other] + names[(place + 1)...].dropLast()
                #expect(self.problem(text(Array(twice)), rules) == .duplicate(name))
            }
        }
    }

    @Test("refuses names that it does not know, and more members than it may have")
    func limits() {
        #expect(self.problem(#"{"a":1,"x":2}"#, Self.strict) == .unknown("x"))
        #expect(self.problem(#"{"a":1,"b":1,"c":1,"d":1}"#, Self.strict) == nil)
        #expect(self.problem(#"{"a":1,"b":1,"c":1,"d":1,"a":1}"#, Self.strict) == .tooManyMembers)
    }

    @Test("refuses what lies too deep, and what is no object")
    func depth() {
        #expect(self.problem(#"{"a":{"b":{}}}"#, Self.strict) == nil)
        #expect(self.problem(#"{"a":{"b":[{}]}}"#, Self.strict) == .notJSON(JSONError(.tooDeep, at: 11)))
        let deep = String(repeating: #"{"a":"#, count: 10_000)
        #expect(self.problem(deep) == .notJSON(JSONError(.tooDeep, at: JSONScanner.defaultDepth * 5)))
        for text in ["[]", "1", "\"{}\"", "null", "true"] { #expect(self.problem(text) == .notObject) }
    }

    @Test("refuses a text that was cut, wherever that was")
    func cuts() {
        let bytes = Array(#"{"a":"é\n","b":{"c":[1,-2e3]},"d":null}"#.utf8)
        for end in bytes.indices { #expect(self.problem(Array(bytes[..<end])) != nil) }
        #expect(self.problem(bytes) == nil)
    }

    @Test("reads what was proven before by its place alone")
    func proven() {
        let bytes = Array(#"[ {"a":[1],"b":"x"} ]"#.utf8)
        let object = JSONObject(proven: bytes.span, in: 1..<bytes.count - 1)
        let names = object.members.map { String(decoding: bytes[$0.key], as: UTF8.self) }
        #expect(names == ["\"a\"", "\"b\""])
        let raw = object["a", .raw]
        #expect(raw == Array("[1]".utf8))
        for text in ["[{}]", "\"a\"", "", "null"] {
            let bytes = Array(text.utf8)
            let counts = [
                JSONObject(proven: bytes.span).members.count,
                JSONObject(proven: bytes.span, in: 0..<bytes.count).members.count,
            ]
            #expect(counts == [0, 0])
        }
        #expect(JSONType.integer.read(proven: Array(" 7 ".utf8)) == 7)
    }
}
