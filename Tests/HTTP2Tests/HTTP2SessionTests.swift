import TestSupport
import Testing
import Web

@testable import HTTP2

/// What a server says, frame by frame (RFC 9113 §4.1).
private enum Frame {
    static func make(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags, 0, 0, 0, stream]
            + payload
    }

    static func settings(maximumStreams: UInt8? = nil) -> [UInt8] {
        self.make(4, maximumStreams.map { [0, 3, 0, 0, 0, $0] } ?? [])
    }

    static func make(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] { self.make(type, flags: 0, payload) }

    /// `:status: 200`, as the table of HPACK has it (RFC 7541 A).
    static let ok: [UInt8] = [0x88]

    static func head(_ stream: UInt8, _ fields: [UInt8] = Self.ok, isLast: Bool = false) -> [UInt8] {
        self.make(1, flags: isLast ? 5 : 4, stream: stream, fields)
    }

    static func data(_ stream: UInt8, _ bytes: [UInt8], isLast: Bool = true) -> [UInt8] {
        self.make(0, flags: isLast ? 1 : 0, stream: stream, bytes)
    }

    /// A field that no table has.
    static func field(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    static func goAway(last: UInt8) -> [UInt8] { self.make(7, [0, 0, 0, last, 0, 0, 0, 0]) }
    static func reset(_ stream: UInt8, code: UInt8) -> [UInt8] { self.make(3, stream: stream, [0, 0, 0, code]) }
    static let ping = Frame.make(6, Array(repeating: 7, count: 8))
}

@Suite("A session of HTTP/2")
struct HTTP2SessionTests {
    private typealias Outcome = Result<HTTP2Answer, HTTP2Error>

    private static func request(_ body: [UInt8] = Array("{}".utf8)) -> HTTP2Request {
        HTTP2Request(.post, authority: "push.example", path: "/3/device/00", fields: ["Apns-Topic": "a.b"], body: body)
    }

    @discardableResult
    private static func output(_ session: HTTP2Session) throws -> [UInt8] {
        var output: [UInt8] = []
        _ = try session.takeOutput { for index in $0.indices { output.append($0[index]) } }
        return output
    }

    /// What came of everything, also of what ends only when our side of it is sent.
    private static func outcomes(_ session: HTTP2Session, _ bytes: [UInt8]) throws -> [HTTP2Session.Event] {
        try session.receive(bytes.span) + session.takeOutput { _ in }
    }

    private static func begun(_ requests: Int = 1, limits: HTTP2Session.Limits = .init()) throws -> HTTP2Session {
        let session = try HTTP2Session(limits)
        _ = try session.receive(Frame.settings().span)
        for _ in 0..<requests { _ = try session.send(self.request()) }
        try self.output(session)
        return session
    }

    @Test("begins with the preface, and asks for no pushes")
    func preface() throws {
        let output = try Self.output(HTTP2Session())
        #expect(output.starts(with: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)))
        #expect(Array(output.dropFirst(24).prefix(4)) == [0, 0, 12, 4])
    }

    @Test("gives the whole answer, however its bytes are cut")
    func cuts() throws {
        let bytes =
            Frame.head(1, Frame.ok + Frame.field("apns-id", "7")) + Frame.data(1, [1, 2], isLast: false)
            + Frame.data(1, [3])
        for size in 1...bytes.count {
            let session = try Self.begun()
            var events: [HTTP2Session.Event] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += try Self.outcomes(session, Array(bytes[start..<min(start + size, bytes.count)]))
            }
            let answer = try #require(try events.first?.outcome.get())
            #expect(events.count == 1 && answer.status == .ok && answer.body == [1, 2, 3])
            #expect(answer.fields["Apns-Id"] == "7")
        }
    }

    @Test("sends as many requests at once as the server takes, and one until it has said how many")
    func room() throws {
        let session = try HTTP2Session()
        #expect(session.room == 1)
        _ = try session.send(Self.request())
        #expect(session.room == 0)
        _ = try session.receive(Frame.settings(maximumStreams: 3).span)
        #expect(session.room == 2)
        _ = try session.receive(Frame.settings(maximumStreams: 0).span)
        #expect(session.room == 0)
        _ = try session.receive(Frame.settings(maximumStreams: 255).span)
        #expect(session.room == 99, "our own limit")
    }

    @Test("tells what the server did not look at from what it gave up")
    func goingAway() throws {
        let session = try Self.begun(3)
        let events = try Self.outcomes(session, Frame.reset(3, code: 7) + Frame.goAway(last: 1))
        let unprocessed = Outcome.failure(.unprocessed)
        #expect(events == [.init(stream: 3, outcome: unprocessed), .init(stream: 5, outcome: unprocessed)])
        #expect(session.isGoingAway && session.room == 0 && session.isUsable, "one is still under way")
        let last = try Self.outcomes(session, Frame.head(1, isLast: true))
        #expect(try last.map { try $0.outcome.get().status } == [.ok])
        #expect(!session.isUsable)
    }

    @Test("names the code of a request that the server gave up")
    func reset() throws {
        let session = try Self.begun()
        let events = try Self.outcomes(session, Frame.reset(1, code: 8))
        #expect(events == [.init(stream: 1, outcome: Outcome.failure(.reset(8)))])
    }

    @Test("forgets what was cancelled, whatever comes for it")
    func cancelled() throws {
        let session = try Self.begun(2)
        session.cancel(1)
        let events = try Self.outcomes(session, Frame.head(1) + Frame.data(1, [1]) + Frame.head(3, isLast: true))
        #expect(events.map(\.stream) == [3])
    }

    @Test("answers a ping, and hears when its own is answered")
    func ping() throws {
        let session = try Self.begun()
        _ = try session.receive(Frame.ping.span)
        #expect(try Self.output(session) == Frame.make(6, flags: 1, Array(repeating: 7, count: 8)))
        session.ping()
        let output = try Self.output(session)
        #expect(session.isPinging && output.count == 17)
        _ = try session.receive(Frame.make(6, flags: 1, Array(output.suffix(8))).span)
        #expect(!session.isPinging)
    }

    @Test("sends a long body as far as the server's window lets it")
    func window() throws {
        let session = try Self.begun(0)
        _ = try session.send(Self.request(Array(repeating: 9, count: 100_000)))
        let first = try Self.output(session).count
        #expect((65_535...66_500).contains(first))
        let more: [UInt8] = [0, 1, 0, 0]
        _ = try session.receive((Frame.make(8, more) + Frame.make(8, stream: 1, more)).span)
        #expect(try Self.output(session).count + first > 100_000)
    }
}

@Suite("A hostile server of HTTP/2")
struct HTTP2HostilityTests {
    private static func begun(_ limits: HTTP2Session.Limits = .init()) throws -> HTTP2Session {
        let session = try HTTP2Session(limits)
        _ = try session.receive(Frame.settings().span)
        _ = try session.send(HTTP2Request(.get, authority: "a", path: "/"))
        _ = try session.takeOutput { _ in }
        return session
    }

    /// What came of it, or that the connection was given up.
    private static func outcome(_ bytes: [UInt8], _ limits: HTTP2Session.Limits = .init()) throws -> HTTP2Error? {
        let session = try self.begun(limits)
        do throws(HTTP2Error) {
            for event in try session.receive(bytes.span) + session.takeOutput({ _ in }) {
                if case .failure(let error) = event.outcome { return error }
            }
            return session.isUsable ? nil : .broken("it was told so")
        } catch {
            return error
        }
    }

    @Test("may not send more fields than we take")
    func fields() throws {
        let fields = (0..<400).flatMap { Frame.field("field\($0)", String(repeating: "x", count: 20)) }
        #expect(try Self.outcome(Frame.head(1, Frame.ok + fields, isLast: true)) == .answerTooLarge)
    }

    @Test("may not send a longer body than we take")
    func body() throws {
        var limits = HTTP2Session.Limits()
        limits.maximumBodyBytes = 100
        let long = Frame.head(1) + Frame.data(1, Array(repeating: 1, count: 101), isLast: false)
        #expect(try Self.outcome(long, limits) == .answerTooLarge)
    }

    @Test("may not go on with the fields of an answer for ever")
    func continuation() throws {
        var bytes = Frame.make(1, stream: 1, Frame.ok)
        for _ in 0..<1000 { bytes += Frame.make(9, stream: 1, Frame.field("a", String(repeating: "x", count: 100))) }
        #expect(try Self.outcome(bytes) != nil)
    }

    @Test(
        "may not keep us busy with frames that mean nothing",
        arguments: [
            Frame.ping, Frame.settings(), Frame.make(8, [0, 0, 0, 1]), Frame.data(1, [], isLast: false),
            Frame.reset(1, code: 8), Frame.settings(maximumStreams: 0),
            Frame.make(2, flags: 0, stream: 1, [0, 0, 0, 0, 1]),
        ])
    func floods(frame: [UInt8]) throws {
        var limits = HTTP2Session.Limits()
        limits.maximumFrames = 1000
        #expect(try Self.outcome(Frame.head(1) + Array(repeating: frame, count: 1100).flatMap { $0 }, limits) != nil)
    }

    @Test("may not cut the fields of an answer into frames for ever", arguments: [[], Frame.field("a", "b")])
    func continuations(fields: [UInt8]) throws {
        var limits = HTTP2Session.Limits()
        limits.maximumFrames = 1000
        let bytes =
            Frame.make(1, stream: 1, Frame.ok)
            + Array(repeating: Frame.make(9, stream: 1, fields), count: 1100)
            .flatMap { $0 }
        #expect(try Self.outcome(bytes, limits) != nil)
    }

    @Test("takes no frame that is longer than all may be, before it has come")
    func frameSize() throws {
        // 16,385 bytes are announced (RFC 9113 §4.2).
        for type in UInt8(0)...9 {
            let head: [UInt8] = [0, 0x40, 1, type, 0, 0, 0, 0, type == 4 || type == 6 || type == 7 ? 0 : 1]
            #expect(try Self.outcome(Frame.head(1) + head + [0]) != nil, "type \(type)")
        }
    }

    @Test("may not open the window for what we send wider than there are numbers", arguments: [UInt8(0), 1])
    func windowOverflow(stream: UInt8) throws {
        let more = Frame.make(8, stream: stream, [0x7F, 0xFF, 0xFF, 0xFF])
        #expect(try Self.outcome(more) != nil)
    }

    @Test("gets an end for a body that has none, and the others of its connection go on")
    func endlessBody() throws {
        let session = try HTTP2Session()
        _ = try session.receive(Frame.settings().span)
        for _ in 0..<2 { _ = try session.send(HTTP2Request(.get, authority: "a", path: "/")) }
        _ = try session.takeOutput { _ in }
        var events = try session.receive(Frame.head(1).span)
        let piece = Frame.data(1, Array(repeating: 7, count: 8192), isLast: false)
        for _ in 0..<100 { events += try session.receive(piece.span) + session.takeOutput { _ in } }
        #expect(events == [.init(stream: 1, outcome: .failure(.answerTooLarge))])
        events = try session.receive(Frame.head(3, isLast: true).span) + session.takeOutput { _ in }
        #expect(try events.map { try $0.outcome.get().status } == [.ok])
    }

    @Test(
        "may not go on for ever with what nobody waits for, or with kinds of frames that nobody knows",
        arguments: [
            Frame.data(1, Array(repeating: 7, count: 8192), isLast: false), Frame.make(11, [1, 2, 3]),
            Frame.make(200, Array(repeating: 7, count: 8192)),
        ])
    func unwanted(frame: [UInt8]) throws {
        var limits = HTTP2Session.Limits()
        limits.maximumBytes = 1 << 20
        let session = try Self.begun(limits)
        _ = try session.receive(Frame.head(1).span)
        session.cancel(1)
        var taken = 0
        #expect(throws: HTTP2Error.self) {
            while taken <= 2 << 20 {
                _ = try session.receive(frame.span)
                _ = try session.takeOutput { _ in }
                taken += frame.count
            }
        }
        #expect(taken <= 1 << 20)
    }

    @Test(
        "is left when its settings make no sense, or its table of fields is wider than ours",
        arguments: [
            Frame.make(4, [0, 4, 0xFF, 0xFF, 0xFF, 0xFF]), Frame.make(4, [0, 5, 0, 0, 0, 0]),
            Frame.make(4, [0, 2, 0, 0, 0, 7]), Frame.head(1, [0x3F, 0xE1, 0xFF, 0x03] + Frame.ok, isLast: true),
            Frame.make(4, Array(repeating: [0, 3, 0, 0, 0, 1], count: 33).flatMap { $0 }),
        ])
    func settings(bytes: [UInt8]) throws {
        #expect(try Self.outcome(bytes) != nil)
    }

    @Test("says which requests it saw when it leaves in the middle of an answer")
    func leaving() throws {
        let session = try HTTP2Session()
        _ = try session.receive(Frame.settings().span)
        for _ in 0..<3 { _ = try session.send(HTTP2Request(.get, authority: "a", path: "/")) }
        _ = try session.takeOutput { _ in }
        var bytes = Frame.head(1) + Frame.data(1, [1], isLast: false) + Frame.goAway(last: 1)
        var events = try session.receive(bytes.span) + session.takeOutput { _ in }
        #expect(Set(events.map(\.stream)) == [3, 5])
        #expect(events.allSatisfy { $0.outcome == .failure(.unprocessed) })
        bytes = Frame.data(1, [2])
        events = try session.receive(bytes.span) + session.takeOutput { _ in }
        #expect(try events.map { try $0.outcome.get().body } == [[1, 2]])
        #expect(!session.isUsable)
    }

    @Test("may send as many frames as it likes in time")
    func allowance() throws {
        var limits = HTTP2Session.Limits()
        limits.maximumFrames = 10
        let session = try Self.begun(limits)
        for _ in 0..<100 {
            _ = try session.receive(Frame.ping.span)
            _ = try session.takeOutput { _ in }
            session.restoreAllowance()
        }
        #expect(session.isUsable)
    }

    @Test(
        "is left when it breaks the rules",
        arguments: [
            Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8),
            Frame.make(5, flags: 4, stream: 1, [0, 0, 0, 2, 0x82]),
            Frame.make(4, [1]), Frame.make(0, stream: 0, [1]), Frame.make(1, flags: 4, stream: 1, [0xFF, 0xFF, 0xFF]),
            Frame.make(8, [0, 0, 0, 0]), Frame.make(6, [1]), Frame.reset(9, code: 0), Frame.data(2, [1]),
        ])
    func rules(bytes: [UInt8]) throws {
        #expect(try Self.outcome(bytes) != nil)
    }

    @Test("has to send a status that is one", arguments: ["", "20", "999", "abc", "103"])
    func status(text: String) throws {
        #expect(try Self.outcome(Frame.head(1, Frame.field(":status", text), isLast: true)) != nil)
    }

    @Test("may send anything at all without harm")
    func random() throws {
        for seed in LongTests.seeds(60, long: 5000) {
            var random = SeededRandom(seed: UInt64(seed))
            var bytes = Frame.head(1, Frame.ok + Frame.field("a", "b")) + Frame.ping + Frame.data(1, [1, 2, 3])
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = try Self.outcome(bytes)
        }
    }
}
