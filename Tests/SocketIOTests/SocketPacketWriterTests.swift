import JSON
import SocketIO
import TestSupport
import Testing
import Vocabulary

extension EncodedPacket {
    var text: String { String(decoding: self.bytes, as: UTF8.self) }
}

@Suite("A Socket.IO packet writer")
struct SocketPacketWriterTests {
    @Test("writes events, with everything they may have in front")
    func events() throws {
        let custom = try #require(Namespace("/custom"))
        #expect(SocketPacketWriter(event: "onLine").finish().text == #"42["onLine"]"#)
        var packet = SocketPacketWriter(event: "a\"b", in: custom, ackID: 7, attachments: 1)
        packet.arguments.integer(1)
        packet.arguments.placeholder(0)
        #expect(packet.finish().text == #"451-/custom,7["a\"b",1,{"_placeholder":true,"num":0}]"#)
    }

    @Test("A Socket.IO packet writer writes an ack with its number and arguments")
    func acks() throws {
        #expect(SocketPacketWriter(ack: 0).finish().text == "430[]")
        var packet = SocketPacketWriter(ack: 12, in: try #require(Namespace("/custom")), attachments: 1)
        packet.arguments.placeholder(0)
        packet.arguments.bool(true)
        #expect(packet.finish().text == #"461-/custom,12[{"_placeholder":true,"num":0},true]"#)
    }

    @Test("passes on arguments as the bytes they came in")
    func relay() throws {
        let source = Array(#"2["offer", {"sdp":"v=0\r\n\/", "x" : 1.50} ,"你\u597d"]"#.utf8)
        let packet = try SocketPacketDecoder().decode(source.span)
        var relayed = SocketPacketWriter(event: "_offer", ackID: 3)
        relayed.arguments.string("from")
        relayed.arguments.raw(source.span.extracting(packet.arguments))
        relayed.append(EventOffset(35))
        #expect(relayed.finish().text == #"423["_offer","from",{"sdp":"v=0\r\n\/", "x" : 1.50} ,"你\u597d","z"]"#)
    }

    @Test("passes on no arguments as none")
    func emptyRelay() throws {
        let source = Array(#"2["a"]"#.utf8)
        let packet = try SocketPacketDecoder().decode(source.span)
        var relayed = SocketPacketWriter(event: "b")
        relayed.arguments.raw(source.span.extracting(packet.arguments))
        #expect(relayed.finish().text == #"42["b"]"#)
    }

    @Test("welcomes and turns away in the words of each revision")
    func connects() throws {
        let custom = try #require(Namespace("/custom"))
        var random = SeededRandom(seed: 3)
        let key = ResumeKey(of: SessionID(using: &random), using: &random)
        #expect(SocketPacketWriter.connect(.v3, sid: "S").text == "40")
        #expect(SocketPacketWriter.connect(.v4, sid: "S").text == #"40{"sid":"S"}"#)
        #expect(
            SocketPacketWriter.connect(.v4, to: custom, sid: "S", key: key).text
                == #"40/custom,{"sid":"S","pid":"\#(key.text)"}"#)
        #expect(SocketPacketWriter.connect(.v3, to: custom, sid: "S").text == "40/custom,")
        #expect(
            SocketPacketWriter.connectError(.v4, from: custom, message: "Invalid namespace").text
                == #"44/custom,{"message":"Invalid namespace"}"#)
        #expect(SocketPacketWriter.connectError(.v3, message: "Not authorized").text == #"44"Not authorized""#)
        #expect(SocketPacketWriter.disconnect().text == "41")
        #expect(SocketPacketWriter.disconnect(from: custom).text == "41/custom,")
    }

    @Test("writes nothing that the decoder would not read")
    func roundTrip() throws {
        var random = SeededRandom(seed: 4)
        let namespaces = [Namespace.main, try #require(Namespace("/custom"))]
        for _ in 0..<2000 {
            let name = String(decoding: random.bytes(Int.random(in: 1..<12, using: &random)), as: UTF8.self)
            let namespace = namespaces.randomElement(using: &random) ?? .main
            let ackID = Bool.random(using: &random) ? Int.random(in: 0..<1_000_000, using: &random) : nil
            let attachments = Int.random(in: 0...10, using: &random)
            var writer = SocketPacketWriter(event: name, in: namespace, ackID: ackID, attachments: attachments)
            for index in (0..<attachments).shuffled(using: &random) { writer.arguments.placeholder(index) }
            writer.arguments.string(name)
            let bytes = Array(writer.finish().bytes.dropFirst())
            let packet = try SocketPacketDecoder().decode(bytes.span)
            #expect(packet.namespace == namespace && packet.ackID == ackID && packet.attachments == attachments)
            #expect(packet.argumentCount == attachments + 1)
            let read = packet.name.flatMap { JSONReader(bytes.span).text(at: $0) }
            #expect(read == name)
        }
    }
}

@Suite("A wish to take up where one left off")
struct RecoveryRequestTests {
    private func request(_ text: String) throws -> RecoveryRequest? {
        let bytes = Array(text.utf8)
        return RecoveryRequest(try SocketPacketDecoder().decode(bytes.span), in: bytes.span)
    }

    @Test("is read from the payload of a CONNECT as the official client writes it")
    func read() throws {
        var random = SeededRandom(seed: 5)
        let key = ResumeKey(of: SessionID(using: &random), using: &random)
        let pid = "\"pid\":\"\(key.text)\""
        #expect(
            try self.request("0{\(pid),\"offset\":\"1z\",\"token\":\"x\"}")
                == RecoveryRequest(key: key, position: .after(EventOffset(71))))
        #expect(try self.request("0/custom,{\(pid)}") == RecoveryRequest(key: key, position: .start))
        #expect(try self.request("0{\(pid),\"offset\":null}")?.position == .start)
        #expect(try self.request("0{\(pid),\"offset\":\"hello!\"}")?.position == .unreadable)
        #expect(try self.request("0{\(pid),\"offset\":7}")?.position == .unreadable)
    }

    @Test(
        "is not there when there is no key",
        arguments: ["0", "0{}", #"0{"pid":"short"}"#, #"0{"pid":7}"#, #"0{"offset":"1"}"#, "1"])
    func absent(_ text: String) throws {
        #expect(try self.request(text) == nil)
    }
}
