import Conversing
import FileTypes
import Testing
import Vocabulary

@testable import Service

@Suite("An object of FLSocketIM's apps")
struct FLObjectTests {
    @Test("keeps what nobody touches, byte for byte")
    func untouched() throws {
        let json = #"{"a\/b":1.50,"n":null,"deep":{"x":[1, 2 ,3],"\u4f60":"\/"},"":{}}"#
        var object = try #require(LooseObject(Array(json.utf8)))
        #expect(object["deep"].map { String(decoding: $0, as: UTF8.self) } == #"{"x":[1, 2 ,3],"\u4f60":"\/"}"#)
        #expect(object["a/b"] == Array("1.50".utf8))
        object.set("new", "x")
        object["n"] = nil
        object.set("", 7)
        #expect(
            String(decoding: object.json, as: UTF8.self)
                == #"{"a/b":1.50,"deep":{"x":[1, 2 ,3],"\u4f60":"\/"},"":7,"new":"x"}"#)
        #expect(LooseObject(Array("[]".utf8)) == nil && LooseObject([]) == nil)
        let many = (0..<257).map { "\"\($0)\":1" }.joined(separator: ",")
        #expect(LooseObject(Array("{\(many)}".utf8)) == nil)
    }

    @Test("that says the same again from the same moment has the same name")
    func clientID() throws {
        let message = { (time: Int, type: String) throws in
            let json = #"{"to_user":"bobby","sendtime":\#(time),"bodies":{"type":"\#(type)"}}"#
            let object = try #require(LooseObject(Array(json.utf8)))
            return try #require(FLMessage(object))
        }
        let (bob, carol) = (try #require(UserID("b")), try #require(UserID("c")))
        let first = try message(5, "txt").clientID(to: bob)
        #expect(try first != nil && first == message(5, "txt").clientID(to: bob))
        #expect(try first != message(6, "txt").clientID(to: bob))
        #expect(try first != message(5, "img").clientID(to: bob))
        #expect(try first != message(5, "txt").clientID(to: carol))
        #expect(try message(0, "txt").clientID(to: bob) == nil)
    }

    @Test(
        "D22 has a short text for each type of message",
        arguments: [
            (MessageKind.text, "hi"), (.image, "[图片]"), (.voice, "[语音]"), (.video, "[视频]"), (.file, "[文件]"),
            (.location, "[位置] gate"), (.call, "[通话]"), (.card, "[其他]"), (.mixed, "[其他]"), (.notice, "[其他]"),
            (.custom, "[其他]"),
        ])
    func digests(kind: MessageKind, expected: String) throws {
        var entry = Entry(
            number: 1, counted: 1, sort: .message, sender: try #require(UserID("a")), time: WallTime(seconds: 1))
        entry.kind = kind
        let body = try #require(LooseObject(Array(#"{"text":"hi","name":"gate"}"#.utf8)))
        #expect(FLEntry.digest(of: entry, body) == expected)
    }

    @Test("D09 has a picture of any place, and of what is none")
    func maps() {
        for (latitude, longitude) in [(0.0, 0.0), (91, -181), (.infinity, .nan), (-89.9999, 179.9999), (1e300, -1e300)]
        {
            let png = MapPicture(latitude: latitude, longitude: longitude).png
            #expect(PictureSize(of: .png, in: png.span) == PictureSize(width: 400, height: 200))
        }
        #expect(
            MapPicture(latitude: 30.27, longitude: 120.15).png != MapPicture(latitude: 30.2705, longitude: 120.15).png)
    }

    @Test("names files by paths that lead nowhere else")
    func paths() throws {
        let id = try #require(FileID("AAAAAAAAAAAAAAAAAAAA"))
        for (name, isSmall) in [("AAAAAAAAAAAAAAAAAAAA.jpg", false), ("s_AAAAAAAAAAAAAAAAAAAA.png", true)] {
            let file = FLPaths.file(named: name)
            #expect(file?.id == id && file?.isSmall == isSmall)
        }
        let marked = FLPaths.file(named: "s_AAAAAAAAAAAAAAAAAA.amr")
        #expect(marked?.id == FileID("s_AAAAAAAAAAAAAAAAAA") && marked?.isSmall == false)
        for name in ["", "..", "s_", "../AAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAA.jpg", "%2e"] {
            #expect(FLPaths.file(named: name) == nil)
        }
    }
}
