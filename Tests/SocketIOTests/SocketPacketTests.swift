import Bytes
import JSON
import SocketIO
import TestSupport
import Testing
import Vocabulary

func read(_ text: String, limits: SocketPacketLimits = SocketPacketLimits()) throws(SocketPacketError) -> SocketPacket {
    let bytes = Array(text.utf8)
    return try SocketPacketDecoder(limits: limits).decode(bytes.span)
}

extension SocketPacket {
    /// The arguments as text.
    func arguments(of text: String) -> String {
        String(decoding: Array(text.utf8)[self.arguments], as: UTF8.self)
    }

    func name(of text: String) -> String? {
        self.name.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
    }
}

@Suite("A Socket.IO packet")
struct SocketPacketTests {
    @Test(
        "of an event gives its name and its arguments as they stand",
        arguments: [
            (#"2["foo"]"#, "\"foo\"", "", 0),
            (#"2["foo","bar"]"#, "\"foo\"", "\"bar\"", 1),
            (#"2["foo", 1 , {"a" : [1, 2]},"你好" ]"#, "\"foo\"", #"1 , {"a" : [1, 2]},"你好""#, 3),
            (#"2 [ "foo" ] "#, "\"foo\"", "", 0),
            (#"2[1,2]"#, "1", "2", 1),
            (#"2["a]b","c,d]"]"#, "\"a]b\"", #""c,d]""#, 1),
            (#"2["x",{"_placeholder":true,"num":7}]"#, "\"x\"", #"{"_placeholder":true,"num":7}"#, 1),
        ])
    func events(_ text: String, _ name: String, _ arguments: String, _ count: Int) throws {
        let packet = try read(text)
        #expect(packet.kind == .event && packet.ackID == nil && packet.namespace == .main)
        #expect(packet.name(of: text) == name)
        #expect(packet.arguments(of: text) == arguments)
        #expect(packet.argumentCount == count)
    }

    @Test("names its namespace and its ack")
    func header() throws {
        let custom = try #require(Namespace("/custom"))
        let text = #"2/custom,12["foo","bar"]"#
        let event = try read(text)
        #expect(event.namespace == custom && event.ackID == 12 && event.arguments(of: text) == "\"bar\"")
        let ack = try read(#"3/custom,0["bar"]"#)
        #expect(ack.kind == .ack && ack.ackID == 0 && ack.argumentCount == 1 && ack.name == nil)
        #expect(try read("3456[]").ackID == 456)
        #expect(try read(#"2007["x"]"#).ackID == 7)
        #expect(try read(#"2999999999999999["x"]"#).ackID == 999_999_999_999_999)
    }

    @Test("connects and disconnects, with the comma or, as old clients do, without")
    func connects() throws {
        let custom = try #require(Namespace("/custom"))
        #expect(try read("0").kind == .connect)
        #expect(try read(#"0{"token":"123"}"#).payload == 1..<16)
        for text in ["0/custom,", "0/custom", "0/custom?token=1,", "0/custom?a=/b", #"0/custom,{"token":"abc"}"#] {
            #expect(try read(text).namespace == custom)
        }
        #expect(try read("1").kind == .disconnect)
        #expect(try read("1/custom,").namespace == custom)
        #expect(try read(#"4{"message":"no"}"#).kind == .connectError)
        #expect(try read(#"4"Not authorized""#).kind == .connectError)
        #expect(try read("4/custom,").payload.isEmpty)
    }

    @Test(
        "is refused for what it is, one that is too long included: an ack id",
        arguments: [
            ("", SocketPacketError.Reason.unknownType), ("7", .unknownType), ("a", .unknownType), ("\"", .unknownType),
            ("2", .wrongPayload), (#"2{"a":1}"#, .wrongPayload), ("2null", .wrongPayload), (#"2"foo""#, .wrongPayload),
            ("2[]", .notJSON(.unexpected)), ("2[null]", .wrongPayload), ("2[{}]", .wrongPayload),
            ("2[[1]]", .wrongPayload), ("2[true]", .wrongPayload), (#"2["a""#, .notJSON(.truncated)),
            (#"2["a",]"#, .notJSON(.unexpected)), (#"2["a"]x"#, .notJSON(.unexpected)),
            (#"2["a"}"#, .notJSON(.unexpected)), (#"2abc["message-to-ack"]"#, .wrongPayload),
            (#"2-1["a"]"#, .wrongPayload), (#"21.5["a"]"#, .wrongPayload), (#"2/custom["a"]"#, .wrongPayload),
            (#"21000000000000000["a"]"#, .illegalAckID), (#"299999999999999999999["a"]"#, .illegalAckID),
            ("3[]", .illegalAckID), ("31", .wrongPayload), (#"31{"a":1}"#, .wrongPayload),
            ("0[]", .wrongPayload), ("0\"a\"", .wrongPayload), ("01", .wrongPayload), ("0{", .notJSON(.truncated)),
            ("1[]", .wrongPayload), ("1{}", .wrongPayload), ("4[]", .wrongPayload), ("41", .wrongPayload),
            ("0/a b,", .malformedNamespace), ("0/\u{1},", .malformedNamespace), ("0/é,", .malformedNamespace),
            (#"5["a"]"#, .malformedAttachmentCount), (#"5-["a"]"#, .malformedAttachmentCount),
            ("5", .malformedAttachmentCount),
            (#"5x-["a"]"#, .malformedAttachmentCount), (#"51["a"]"#, .malformedAttachmentCount),
            (#"5-1-["a"]"#, .malformedAttachmentCount), (#"51.5-["a"]"#, .malformedAttachmentCount),
        ])
    func refused(_ text: String, _ reason: SocketPacketError.Reason) {
        #expect { try read(text) } throws: { ($0 as? SocketPacketError)?.reason == reason }
    }

    @Test(
        "may not raise the library's own events",
        arguments: ["connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener"])
    func reserved(_ name: String) throws {
        #expect { try read("2[\"\(name)\"]") } throws: { ($0 as? SocketPacketError)?.reason == .reservedEvent }
        let escaped = name.utf8.map { "\\u00" + Hex.encode([$0]) }.joined()
        #expect { try read("2[\"\(escaped)\"]") } throws: { ($0 as? SocketPacketError)?.reason == .reservedEvent }
        #expect(try read("2[\"\(name)s\"]").kind == .event)
        #expect(try read("31[\"\(name)\"]").kind == .ack)
    }

    @Test("is refused when it is too long: a namespace")
    func longNamespace() throws {
        let fits = "/" + String(repeating: "a", count: 63)
        #expect(try read("0\(fits),").namespace == Namespace(fits))
        #expect { try read("0\(fits)a,") } throws: { ($0 as? SocketPacketError)?.reason == .malformedNamespace }
    }

    @Test("is refused when it is too deep: nesting of JSON")
    func depth() throws {
        func nested(_ depth: Int, _ head: String) -> String {
            head + "[\"a\"," + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "]"
        }
        for head in ["2", "50-"] {
            #expect(try read(nested(63, head)).argumentCount == 1)
            #expect { try read(nested(64, head)) } throws: { ($0 as? SocketPacketError)?.reason == .notJSON(.tooDeep) }
        }
        #expect(throws: SocketPacketError.self) {
            try read("50-[\"a\"," + String(repeating: "{\"a\":", count: 500_000))
        }
    }

    @Test(
        "cut anywhere is refused",
        arguments: [
            #"2/custom,12["foo",{"a":"你\n"},[1.5e3]]"#,
            #"52-["f",{"_placeholder":true,"num":0},[{"num":1,"_placeholder":true}]]"#,
        ])
    func cuts(_ text: String) throws {
        let bytes = Array(text.utf8)
        #expect(throws: Never.self) { try read(text) }
        for end in 0..<bytes.count {
            let cut = Array(bytes[..<end])
            #expect(throws: SocketPacketError.self) { try SocketPacketDecoder().decode(cut.span) }
        }
    }

    @Test("of no shape whatever makes the decoder stumble")
    func fuzz() {
        var random = SeededRandom(seed: 21)
        let seeds = [
            #"2/custom,12["foo",{"a":"你\n"},[1.5e3]]"#, #"51-["f",{"_placeholder":true,"num":0}]"#,
            #"0/a,{"pid":"x","offset":"1"}"#, #"61-1[{"num":0,"_placeholder":true}]"#,
        ].map { Array($0.utf8) }
        for round in 0..<50_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1..<4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1:
                    bytes.insert(
                        contentsOf: "[]{}\",:0-/\\".utf8.randomElement(using: &random).map { [$0] } ?? [], at: place)
                default: bytes.removeSubrange(place...min(place + 2, bytes.count - 1))
                }
                if bytes.isEmpty { bytes = [0x32] }
            }
            guard let packet = try? SocketPacketDecoder().decode(bytes.span) else { continue }
            #expect(packet.arguments.upperBound <= bytes.count && packet.payload.upperBound <= bytes.count)
            _ = RecoveryRequest(packet, in: bytes.span)
        }
    }
}

@Suite("Placeholders")
struct PlaceholderTests {
    @Test(
        "mean each attachment exactly once",
        arguments: [
            #"51-["a",{"_placeholder":true,"num":0}]"#, #"51-["a",{"num":0,"_placeholder":true}]"#,
            #"52-["a",{"b":[{"_placeholder":true,"num":1}]},{ "_placeholder" : true , "num" : 0 }]"#,
            #"51-["a",{"\u005fplaceholder":true,"num":0}]"#, #"50-["a"]"#, #"50-["a",{"_placeholder":false,"num":9}]"#,
            #"50-["a",{"_placeholder":1,"num":9,"x":1}]"#, #"61-7[{"_placeholder":true,"num":0}]"#, #"60-7[]"#,
            #"51-/custom,12["a",{"_placeholder":true,"num":0}]"#,
        ])
    func accepted(_ text: String) throws {
        let packet = try read(text)
        #expect(packet.kind.isBinary)
    }

    @Test(
        "that point elsewhere are refused: CVE-2022-2421, CVE-2023-32695",
        arguments: [
            #"51-["a",{"_placeholder":true,"num":1}]"#, #"51-["a",{"_placeholder":true,"num":-1}]"#,
            #"51-["a",{"_placeholder":true,"num":"splice"}]"#, #"51-["a",{"_placeholder":true,"num":0.5}]"#,
            #"51-["a",{"_placeholder":true,"num":null}]"#, #"51-["a",{"_placeholder":true,"num":[0]}]"#,
            #"51-["a",{"_placeholder":true,"num":{"toString":"x"}}]"#, #"51-["a",{"_placeholder":true}]"#,
            #"51-["a",{"_placeholder":true,"num":99999999999999999999}]"#, #"51-["a",{"_placeholder":true,"num":0e0}]"#,
            #"50-["a",{"_placeholder":true,"num":0}]"#, #"51-["a"]"#, #"51-["a",null]"#,
            #"52-["a",{"_placeholder":true,"num":0}]"#, #"60-1[{"\u005f\u0070laceholder":true,"num":0}]"#,
            #"52-["a",{"_placeholder":true,"num":0},{"_placeholder":true,"num":0}]"#,
            #"51-["a",{"_placeholder":true,"num":0},{"_placeholder":true,"num":0}]"#,
        ])
    func refused(_ text: String) {
        #expect { try read(text) } throws: { ($0 as? SocketPacketError)?.reason == .illegalPlaceholder }
    }

    @Test(
        "that two receivers could read in two ways are refused",
        arguments: [
            #"51-["a",{"_placeholder":true,"num":0,"x":1}]"#, #"51-["a",{"_placeholder":true,"num":1,"num":0}]"#,
            #"51-["a",{"_placeholder":false,"_placeholder":true,"num":0}]"#,
            #"51-["a",{"_placeholder":true,"_placeholder":false,"num":0}]"#,
            #"51-["a",{"_placeholder":true,"\u005fplaceholder":false,"num":0}]"#,
        ])
    func ambiguous(_ text: String) {
        #expect { try read(text) } throws: { ($0 as? SocketPacketError)?.reason == .illegalPlaceholder }
    }

    @Test("are at most ten, CVE-2026-33151: attachments of one packet")
    func bounded() throws {
        func packet(_ count: Int) -> String {
            let list = (0..<count).map { #",{"_placeholder":true,"num":\#($0)}"# }.joined()
            return #"5\#(count)-["a"\#(list)]"#
        }
        #expect(try read(packet(10)).attachments == 10)
        for count in ["11", "1000000000", "99999999999999999999"] {
            #expect { try read("5\(count)-[\"a\"]") } throws: {
                ($0 as? SocketPacketError)?.reason == .tooManyAttachments
            }
        }
    }
}
