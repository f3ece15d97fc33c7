import SocketIO
import TestSupport
import Testing
import Vocabulary

@Suite("An Engine.IO request")
struct EngineRequestTests {
    private static let sid = "AAAAAAAAAAAAAAAAAAAA"

    private func request(
        _ method: String, _ query: [String: String], isUpgrade: Bool = false, hints: [String] = []
    ) throws(EngineRefusal) -> EngineRequest {
        try EngineRequest(method: method, isUpgrade: isUpgrade, legacyHints: hints) { query[$0] }
    }

    @Test("begins a session in the version it names")
    func handshakes() throws {
        let four = try self.request("GET", ["EIO": "4", "transport": "polling"])
        #expect(four.purpose == .handshake(.v4) && four.transport == .polling && !four.base64Only)
        let three = try self.request("GET", ["EIO": "3", "transport": "websocket", "sid": ""], isUpgrade: true)
        #expect(three.purpose == .handshake(.v3) && three.transport == .webSocket)
        #expect(try self.request("GET", ["EIO": "3", "transport": "polling", "b64": "1"]).base64Only)
    }

    @Test("without a version is of version 3 only where a parameter gives the client away")
    func withoutVersion() throws {
        let hints = ["key", "b64"]
        for query in [["transport": "polling", "b64": "1"], ["transport": "polling", "key": "T"]] {
            #expect(try self.request("GET", query, hints: hints).purpose == .handshake(.v3))
            #expect(throws: EngineRefusal.unsupportedVersion) { try self.request("GET", query) }
        }
        for query in [["transport": "polling"], ["transport": "polling", "EIO": "abc", "b64": "1"]] {
            #expect(throws: EngineRefusal.unsupportedVersion) { try self.request("GET", query, hints: hints) }
        }
    }

    @Test("goes on with a session")
    func continuations() throws {
        let sid = try #require(SessionID(Self.sid))
        let polling = ["EIO": "4", "transport": "polling", "sid": Self.sid]
        #expect(try self.request("GET", polling).purpose == .poll(sid))
        #expect(try self.request("POST", polling).purpose == .post(sid))
        let webSocket = ["EIO": "4", "transport": "websocket", "sid": Self.sid]
        #expect(try self.request("GET", webSocket, isUpgrade: true).purpose == .upgrade(sid))
    }

    @Test(
        "is refused in the words clients know",
        arguments: [
            ("GET", ["EIO": "4"], false, EngineRefusal.unknownTransport),
            ("GET", ["EIO": "4", "transport": "abc"], false, .unknownTransport),
            ("GET", ["EIO": "4", "transport": "polling", "sid": "unknown"], false, .unknownSession),
            ("POST", ["EIO": "4", "transport": "polling"], false, .badHandshakeMethod),
            ("PUT", ["EIO": "4", "transport": "polling"], false, .badHandshakeMethod),
            ("GET", ["EIO": "4", "transport": "websocket"], false, .badRequest),
            ("GET", ["EIO": "4", "transport": "polling"], true, .badRequest),
            ("PUT", ["EIO": "4", "transport": "polling", "sid": Self.sid], false, .badRequest),
            ("GET", ["EIO": "4", "transport": "websocket", "sid": Self.sid], false, .badRequest),
            ("GET", ["EIO": "4", "transport": "polling", "j": "0"], false, .badRequest),
            ("GET", ["EIO": "5", "transport": "polling"], false, .unsupportedVersion),
        ])
    func refused(_ method: String, _ query: [String: String], _ isUpgrade: Bool, _ refusal: EngineRefusal) {
        #expect(throws: refusal) { try self.request(method, query, isUpgrade: isUpgrade) }
    }

    @Test("is answered with a code and a message")
    func bodies() {
        #expect(
            String(decoding: EngineRefusal.unknownTransport.body, as: UTF8.self)
                == #"{"code":0,"message":"Transport unknown"}"#)
        #expect(
            String(decoding: EngineRefusal.unknownSession.body, as: UTF8.self)
                == #"{"code":1,"message":"Session ID unknown"}"#)
        #expect(EngineRefusal.allCases.filter { $0.status == 403 } == [.forbidden])
        #expect(EngineRefusal.allCases.filter { $0.status == 400 }.count == 5)
    }
}

@Suite("The open packet")
struct EngineOpeningTests {
    private func opening(offersUpgrade: Bool) throws -> EngineOpening {
        let sid = try #require(SessionID("lv_VI97HAXpY6yYWAAAA"))
        return EngineOpening(
            sid: sid, offersUpgrade: offersUpgrade, pingInterval: .milliseconds(300), pingTimeout: .milliseconds(200),
            maxPayload: 1_000_000)
    }

    @Test("has the keys of its version, in their order")
    func text() throws {
        let four = try self.opening(offersUpgrade: true).packet(for: .v4).bytes
        let three = try self.opening(offersUpgrade: false).packet(for: .v3).bytes
        let head = #"0{"sid":"lv_VI97HAXpY6yYWAAAA","upgrades":"#
        #expect(
            String(decoding: four, as: UTF8.self)
                == head + #"["websocket"],"pingInterval":300,"pingTimeout":200,"maxPayload":1000000}"#)
        #expect(String(decoding: three, as: UTF8.self) == head + #"[],"pingInterval":300,"pingTimeout":200}"#)
    }

    @Test("is understood by clients of ours", arguments: [true, false])
    func roundTrip(_ offersUpgrade: Bool) throws {
        let opening = try self.opening(offersUpgrade: offersUpgrade)
        let body = Array(opening.packet(for: .v4).bytes.dropFirst())
        #expect(EngineOpening(parsing: body.span) == opening)
        for end in 0..<body.count {
            let cut = Array(body[..<end])
            let parsed = EngineOpening(parsing: cut.span)
            #expect(parsed == nil)
        }
    }
}
