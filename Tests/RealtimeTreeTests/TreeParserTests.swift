import TestSupport
import Testing

@testable import RealtimeTree

@Suite("What clients write into the tree")
struct TreeParserTests {
    @Test(
        "Values are kept as they have to be read again",
        arguments: [
            ("1.0", "1"), ("-0", "0"), ("1e3", "1000"), ("0.1", "0.1"), ("1e300", "1e+300"), ("\"\\u00e9\"", "\"é\""),
            ("[1,null,3]", "{\"0\":1,\"2\":3}"), ("{\"a\":{},\"b\":[],\"c\":null}", "null"), ("[]", "null"),
            ("{\".value\":1,\".priority\":\"p\"}", "{\".value\":1,\".priority\":\"p\"}"), ("{\".value\":1}", "1"),
            ("{\"b\":1,\"a\":2,\"10\":3,\"9\":4}", "{\"9\":4,\"10\":3,\"a\":2,\"b\":1}"),
            ("{\"a\":1,\"a\":2}", "{\"a\":2}"), ("{\".priority\":1}", "null"), ("9007199254740993", "9007199254740992"),
            ("{\"a\":{\".sv\":\"timestamp\"},\".priority\":{\".sv\":\"timestamp\"}}", "{\"a\":5,\".priority\":5}"),
        ])
    func values(json: String, kept: String) throws {
        #expect(try TreeNode(json, now: 5).text == kept)
    }

    @Test(
        "What is no value of a tree is refused",
        arguments: [
            "", "{", "nul", "1 2", "[1,]", "{\"a\"}", "{\"a.b\":1}", "{\"\":1}", "{\"a/b\":1}", "{\"$a\":1}",
            "{\"\\u007f\":1}",
            "{\".sv\":1}", "{\".sv\":{\"increment\":\"1\"}}", "{\".sv\":\"timestamp\",\"a\":1}",
            "{\".value\":{\"a\":1}}",
            "{\".value\":1,\"a\":1}", "{\"a\":1,\".priority\":true}", "{\"a\":1,\".priority\":{\"b\":1}}", "1e999",
            "-1e999",
            "{\".sv\":{\"increment\":1}", "{\".unknown\":1}",
        ])
    func refusals(json: String) {
        #expect(throws: TreeError.self) { try TreeNode(json) }
    }

    @Test("A text that ends anywhere before its end is refused")
    func cuts() throws {
        let json = Array(
            #"{"a":{".value":"é","a":1},"b":[1,{".sv":{"increment":2}},null],"c":{".priority":1,"d":"\u00e9"}}"#.utf8)
        for end in 0..<json.count {
            let cut = Array(json[..<end])
            #expect(throws: TreeError.self) { try TreeParser.parse(cut.span) }
            #expect(throws: TreeError.self) { try TreeParser.patch(cut.span, at: .root, in: .nothing, now: 0) }
        }
    }

    @Test("An increment adds to the number that is there, and begins with nothing elsewhere")
    func increments() throws {
        let json = Array(
            #"{"n":{".sv":{"increment":2}},"t":{".sv":{"increment":-1.5}},"x":{".sv":{"increment":3}}}"#.utf8)
        let before = try TreeNode(#"{"n":40,"t":"text"}"#)
        #expect(try TreeParser.parse(json.span, over: before).text == #"{"n":42,"t":-1.5,"x":3}"#)
    }

    @Test("What is deeper, longer or more than the limits is refused")
    func limits() throws {
        let deep = String(repeating: "{\"a\":", count: 33) + "1" + String(repeating: "}", count: 33)
        #expect(throws: TreeError.tooDeep) { try TreeNode(deep) }
        let many = "[" + Array(repeating: "1", count: TreeLimits.leaves + 1).joined(separator: ",") + "]"
        #expect(throws: TreeError.self) { try TreeNode(many) }
        let key = try #require(TreeKey(String(repeating: "k", count: 700)))
        let write = TreeWrite(TreeTarget(TreePath([key, key, key])), TreeNode(.bool(true)))
        #expect(throws: TreeError.self) { try write.check() }
        #expect(TreeKey(String(repeating: "k", count: 769)) == nil)
    }

    @Test("Paths of a patch that contain each other are refused")
    func conflicts() {
        for json in [
            #"{"a":1,"a/b":2}"#, #"{"a/b/c":1,"a-":3,"a/b":2}"#, #"{"a":1,"a/.priority":2}"#, #"{"/a":1,"a/":2}"#,
        ] {
            let bytes = Array(json.utf8)
            #expect(throws: TreeError.conflictingPaths) {
                try TreeParser.patch(bytes.span, at: .root, in: .nothing, now: 0)
            }
        }
    }

    @Test("Names are in the order of numbers first, and of UTF-16 units then")
    func order() {
        let names = [
            "-5", "0", "00", "7", "10", "2147483647", "!", "-", "2147483648", "a", "é", "😀", "\u{E000}", "\u{FFFD}",
        ]
        let keys = names.compactMap { TreeKey($0) }
        #expect(keys.count == names.count)
        #expect(keys.sorted() == keys)
        #expect(keys.allSatisfy { TreeKey.lowest < $0 && $0 < TreeKey.highest })
    }

    @Test("A map stays flat and in order whatever is put in and taken out", arguments: LongTests.seeds(2, long: 50))
    func map(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (map, model): (SortedMap<Int, Int>, [Int: Int]) = (SortedMap(), [:])
        for _ in 0..<3000 {
            let key = Int.random(in: 0..<300, using: &random)
            let value = Bool.random(using: &random) ? key * 2 : nil
            (map[key], model[key]) = (value, value)
        }
        #expect(map.map(\.key) == model.keys.sorted())
        #expect(map.downward(from: 150).map(\.key) == model.keys.filter { $0 <= 150 }.sorted(by: >))
        #expect(map.from(150).map(\.key) == model.keys.filter { $0 >= 150 }.sorted())
        #expect(map.count == model.count)
    }
}
