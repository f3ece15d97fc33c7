import TestSupport
import Testing
import Vocabulary

@testable import Clustering

@Suite("A frame of news between nodes")
struct NodeFrameTests {
    private let node: RandomToken
    private let news: [NodeNews]

    init() throws {
        var random = SeededRandom(seed: 7)
        self.node = RandomToken(using: &random)
        let (room, anna) = (try #require(ConversationID("room-1")), try #require(UserID("anna-1")))
        let bo = try #require(UserID("bo"))
        let receipt = NodeNews.Receipt(
            room, of: anna, own: Array(#"{"read":5,"badge":2}"#.utf8), others: Array(#"{"read":5}"#.utf8))
        self.news =
            [
                .entry(room, 5, movesMembers: false), .entry(room, .init(UInt32.max), movesMembers: true),
                .receipt(receipt), .receipt(NodeNews.Receipt(room, of: anna, own: Array("{}".utf8), others: nil)),
                .typing(room, bo, isOn: true), .typing(room, bo, isOn: false), .block(anna, by: bo, isOn: true),
                .profile(anna), .access(NodeNews.Access("banned", "bo", until: WallTime(milliseconds: 17))),
                .access(NodeNews.Access("token", "t-1")), .errand, .words, .read(room, bo, through: 7, badge: 0),
                .attempt(word: "began", account: "anna", address: "10.0.0.1"),
                .attempt(word: "created", account: nil, address: "::1"),
            ]
            + [
                .members(of: room, except: nil), .members(of: room, except: bo), .member(anna, of: room),
                .users([anna, bo]),
                .all,
            ].map { .told(.init("chat.passing", Array("{}".utf8), to: $0)) }
    }

    private func read(_ bytes: [UInt8]) -> NodeFrame? { NodeFrame(bytes.span) }

    @Test("Y01 is read as it was written")
    func roundTrip() {
        let frame = NodeFrame(self.node, 17, self.news)
        #expect(self.read(frame.json) == frame)
        let last = NodeFrame(self.node, 18, isLast: true)
        #expect(self.read(last.json) == last)
    }

    @Test("Y01 is none when it is cut anywhere, or larger than one can be")
    func cuts() {
        let bytes = NodeFrame(self.node, 17, self.news).json
        for end in bytes.indices { #expect(self.read(Array(bytes[..<end])) == nil) }
        let long = bytes.dropLast() + Array(repeating: UInt8(ascii: " "), count: 9000) + [UInt8(ascii: "}")]
        #expect(self.read(Array(long)) == nil)
    }

    @Test("Y01 passes over news of kinds that it does not know, and over nonsense")
    func strangers() throws {
        let text = """
            {"v":9,"node":"\(self.node.text)","number":3,"news":[{"z":1},7,{"e":"room-1"},{"e":"room-1","n":0},\
            {"e":"room-1","n":-1},{"r":"room-1","u":"bo"},{"e":"room-1","n":2,"new":true}]}
            """
        let frame = try #require(self.read(Array(text.utf8)))
        #expect(frame.news == [.entry(try #require(ConversationID("room-1")), 2, movesMembers: false)])
        for wrong in ["", "[]", "{}", #"{"node":"x","number":1}"#, #"{"node":"\#(self.node.text)"}"#] {
            #expect(self.read(Array(wrong.utf8)) == nil)
        }
    }

    @Test("Y01 many news go in as few frames as they fit into, each with the next number")
    func packing() throws {
        let room = try #require(ConversationID("a-conversation-with-a-name"))
        let news = (1...500).map { NodeNews.entry(room, UInt64($0), movesMembers: false) }
        var number: UInt64 = 10
        let frames = NodeFrame.frames(news, of: self.node) {
            number += 1
            return number
        }
        #expect(frames.allSatisfy { $0.count <= NodeFrame.maximumBytes })
        let read = try frames.map { try #require(self.read($0)) }
        #expect(read.map(\.number) == (11...UInt64(10 + frames.count)).map { $0 })
        #expect(read.flatMap(\.news) == news)
        #expect(frames.count <= 500 * 45 / (NodeFrame.maximumBytes - 200) + 1)
    }

    @Test("Y01 whatever bytes come, nothing traps", arguments: 1...20)
    func chance(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bytes = NodeFrame(self.node, 17, self.news).json
        for _ in 0..<500 {
            var wrong = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                wrong[Int.random(in: wrong.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = self.read(wrong)
        }
    }
}
