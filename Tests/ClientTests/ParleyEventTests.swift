import Calling
import Operations
import TestSupport
import Testing
import Vocabulary

@testable import Client

@Suite("JSON that stays as it is")
struct RawJSONTests {
    @Test("answers questions about an object, and nil for what is not there")
    func questions() throws {
        let json = try #require(RawJSON(#"{"a":"ä\n","b":-7,"c":true,"d":[1,{"x":2}],"e":{"f":"g"}}"#))
        #expect(json.text("a") == "ä\n" && json.integer("b") == -7 && json.bool("c") == true)
        #expect(json.list("d")?.map(\.description) == ["1", #"{"x":2}"#])
        #expect(json.member("e")?.text("f") == "g")
        #expect(json.text("b") == nil && json.list("a") == nil && json.member("z") == nil)
        #expect(try #require(RawJSON("[1]")).member("a") == nil)
    }

    @Test("is one value and nothing else", arguments: ["", " ", "{", "{}{}", "nul", "\"\u{1}\""])
    func refuses(text: String) {
        #expect(RawJSON(text) == nil)
    }

    @Test("carries descriptions and candidates there and back")
    func helpers() throws {
        for kind in SessionDescription.Kind.allCases {
            let description = SessionDescription(kind, sdp: "v=0\r\n\"\\")
            #expect(SessionDescription(description.json) == description)
        }
        let bare = CandidateDescription("", mid: nil, lineIndex: nil)
        #expect(bare.json.description == #"{"candidate":""}"# && CandidateDescription(bare.json) == bare)
        let full = CandidateDescription("candidate:1", mid: "0", lineIndex: 0, usernameFragment: "u")
        #expect(CandidateDescription(full.json) == full)
        #expect(
            SessionDescription(bare.json) == nil
                && CandidateDescription(SessionDescription(.offer, sdp: "").json) == nil)
    }
}

@Suite("What the server's events become")
struct ParleyEventTests {
    private static let member = "MEMBERMEMBERMEMBER01"
    private static let call = "CALLCALLCALLCALLCA01"
    private static let person = #""member":"\#(member)","user":"u","name":"Ann""#

    /// Every event of the protocol, as the server writes it.
    static let events = [
        ("welcome", #"{"user":"u","name":"Ann","member":"\#(member)","iceServers":[],"expires":5}"#),
        ("presence", #"{"user":"u","online":true,"name":"Ann"}"#),
        ("presence", #"{"user":"u","online":false,"lastSeen":12}"#),
        ("room.joined", #"{"room":"r",\#(person),"number":1}"#),
        ("room.away", #"{"room":"r","member":"\#(member)","number":2}"#),
        ("room.back", #"{"room":"r","member":"\#(member)","number":3}"#),
        ("room.left", #"{"room":"r","member":"\#(member)","reason":"lost","number":4}"#),
        ("room.dismissed", #"{"room":"r","reason":"removed"}"#),
        ("room.recording", #"{"room":"r","member":"\#(member)","since":5,"number":6}"#),
        ("room.recording", #"{"room":"r","member":"\#(member)","number":7}"#),
        ("call.recording", #"{"call":"\#(call)","since":5}"#),
        ("room.host", #"{"room":"r","user":"u"}"#),
        ("room.knocked", #"{"room":"r","user":"u","name":"N"}"#),
        ("room.admitted", #"{"room":"r"}"#),
        ("signal", #"{"room":"r","from":"\#(member)","description":{"type":"offer"},"number":5}"#),
        ("signal", #"{"call":"\#(call)","from":"\#(member)","data":1}"#),
        ("call.incoming", #"{"call":"\#(call)","kind":"audio","from":{\#(person)}}"#),
        ("call.ringing", #"{"call":"\#(call)"}"#),
        ("call.connected", #"{"call":"\#(call)","kind":"video","role":"callee","peer":{\#(person)}}"#),
        ("call.peerAway", #"{"call":"\#(call)"}"#),
        ("call.peerBack", #"{"call":"\#(call)","member":"\#(member)"}"#),
        ("call.ended", #"{"call":"\#(call)","outcome":"declined","by":"u"}"#),
        ("profile", #"{"user":"u","name":"Ann"}"#),
        ("chat.entry", #"{"conversation":"c","number":1,"id":"1.1","type":"message","from":"u","time":5}"#),
        ("chat.receipt", #"{"conversation":"c","user":"u","delivered":1,"read":1,"time":5}"#),
        ("chat.typing", #"{"conversation":"c","user":"u","on":true}"#),
        ("chat.arranged", #"{"conversation":"c","archived":true}"#),
        ("chat.settings", #"{"conversation":"c","slowSeconds":30,"retentionDays":7}"#),
        ("chat.passing", #"{"conversation":"c","from":"u","kind":"text","body":{"text":"x"},"time":5}"#),
        ("ice.servers", #"{"iceServers":[],"expires":5}"#),
        ("session.moving", #"{"after":1500}"#),
        ("session.ending", #"{"error":{"code":"token_expired","message":""}}"#),
    ]

    @Test("An event's sample stands here for every event of the table, with no field it does not have")
    func complete() throws {
        #expect(Set(Self.events.map(\.0)) == Set(ServerEvent.allCases.map(\.rawValue)))
        for (name, json) in Self.events {
            let names = ServerEvent(rawValue: name)?.fields.map(\.name) ?? []
            #expect(Set(try #require(RawJSON(json)).memberList.map(\.name)).isSubset(of: names), "\(name)")
        }
    }

    @Test("is known by its type", arguments: Self.events)
    func known(name: String, json: String) throws {
        let json = try #require(RawJSON(json))
        if case .other = ParleyEvent(name, json) { Issue.record("\(name) is not known") }
    }

    @Test("is passed on as it is when something is missing", arguments: Self.events)
    func incomplete(name: String, json: String) throws {
        let empty = try #require(RawJSON("{}"))
        #expect(ParleyEvent(name, empty) == .other(name: name, empty))
    }

    @Test("is passed on as it is when nobody knows it", arguments: ["room.", "call.other", "presences", ""])
    func unknown(name: String) throws {
        let json = try #require(RawJSON(#"{"room":"r","call":"\#(Self.call)"}"#))
        #expect(ParleyEvent(name, json) == .other(name: name, json))
    }

    @Test("says who ended a call, and how")
    func ended() throws {
        let json = try #require(RawJSON(#"{"call":"\#(Self.call)","outcome":"merged","into":"\#(Self.call)"}"#))
        guard case .call(let event) = ParleyEvent("call.ended", json), case .ended(let end) = event.change else {
            Issue.record("the end is not understood")
            return
        }
        #expect(end.outcome == "merged" && end.into == event.call && end.by == nil)
    }

    @Test("never brings the client down, however it is mangled")
    func fuzz() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<20_000 {
            guard let (name, text) = Self.events.randomElement(using: &random) else { continue }
            var bytes = Array(text.utf8)
            let place = Int.random(in: bytes.indices, using: &random)
            bytes[place] = UInt8.random(in: .min ... .max, using: &random)
            guard let json = RawJSON(bytes) else { continue }
            if case .other(let other, let same) = ParleyEvent(name, json) { #expect(other == name && same == json) }
        }
    }
}
