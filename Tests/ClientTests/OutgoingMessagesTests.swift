import Client
import Testing
import Vocabulary

@Suite("A message on its way")
struct OutgoingMessagesTests {
    private typealias Order = OutgoingMessages.Order
    private let start = Instant(milliseconds: 1000)
    private let message: OutgoingMessage
    private let outcome: ChatOutcome

    init() throws {
        self.message = try Self.message("m-1")
        self.outcome = try ChatOutcome(Samples.json(#"{"conversation":"c","number":7,"id":"c-7","time":1}"#))
    }

    private static func message(_ id: String) throws -> OutgoingMessage {
        let target = try #require(ChatTarget("@bob"))
        return OutgoingMessage(
            try Samples.json(#"{"text":"hello"}"#), to: target, as: try #require(MessageID(id)))
    }

    @Test("D03.sending D03.sent is sending until the server has it, and sent from then on")
    func sent() {
        var messages = OutgoingMessages()
        let orders = messages.said(self.message, at: self.start)
        #expect(orders == [.show(self.message.id, .sending), .send(self.message)])
        #expect(messages.answered(self.message.id, self.outcome) == [.show(self.message.id, .sent(self.outcome))])
        #expect(messages.nextDeadline == nil)
        #expect(messages.answered(self.message.id, self.outcome) == [], "a second answer is no news")
    }

    @Test("D03.failed has failed when no answer came in twenty seconds, and not a moment before")
    func late() {
        var messages = OutgoingMessages()
        _ = messages.said(self.message, at: self.start)
        #expect(messages.nextDeadline == self.start + .seconds(20))
        #expect(messages.clockAdvanced(to: self.start + .milliseconds(19_999)) == [])
        let failed: [Order] = [.show(self.message.id, .failed(.timedOut))]
        #expect(messages.clockAdvanced(to: self.start + .seconds(20)) == failed)
        #expect(messages.failures == [self.message.id] && messages.nextDeadline == nil)
        #expect(messages.answered(self.message.id, self.outcome) == [.show(self.message.id, .sent(self.outcome))])
        #expect(messages.failures == [], "a late answer is an answer")
    }

    @Test("D03 is asked for again under its name when the line or the request's time ends first")
    func askedAgain() {
        var messages = OutgoingMessages()
        _ = messages.said(self.message, at: self.start)
        for error in [ClientError.timedOut, .connectionLost] {
            #expect(messages.unanswered(self.message.id, error) == [.send(self.message)])
        }
        #expect(messages.nextDeadline == self.start + .seconds(20), "which wins no time")
        _ = messages.clockAdvanced(to: self.start + .seconds(20))
        #expect(messages.unanswered(self.message.id, .timedOut) == [])
    }

    @Test("D03 has failed at once when the server says no")
    func refused() {
        var messages = OutgoingMessages()
        _ = messages.said(self.message, at: self.start)
        let refusal = ClientError.refused(ServerRefusal(code: "blocked", message: "no"))
        #expect(messages.unanswered(self.message.id, refusal) == [.show(self.message.id, .failed(refusal))])
    }

    @Test("D04 is the same message when it is said again, with its own time")
    func again() {
        var messages = OutgoingMessages()
        _ = messages.said(self.message, at: self.start)
        #expect(messages.said(self.message, at: self.start) == [], "it is on its way")
        #expect(messages.again(self.message.id, at: self.start) == [])
        _ = messages.clockAdvanced(to: self.start + .seconds(20))
        let later = self.start + .seconds(60)
        #expect(messages.again(self.message.id, at: later) == [.show(self.message.id, .sending), .send(self.message)])
        #expect(messages.nextDeadline == later + .seconds(20) && messages.failures == [])
    }

    @Test("that failed long ago makes room for others")
    func bound() throws {
        var messages = OutgoingMessages()
        for number in 0...OutgoingMessages.maximumFailed {
            _ = messages.said(try Self.message("m-\(number)"), at: self.start)
            _ = messages.clockAdvanced(to: self.start + .seconds(20))
        }
        #expect(messages.failures.count == OutgoingMessages.maximumFailed && messages.failures.first?.text == "m-1")
        #expect(messages.again(try Self.message("m-0").id, at: self.start) == [])
    }
}

/// Words of the server.
enum Samples {
    static func json(_ text: String) throws -> RawJSON { try #require(RawJSON(text)) }

    static func entry(
        _ number: UInt64, _ from: String = "bob", in conversation: String = "c", type: String = "message",
        target: UInt64? = nil
    ) throws -> ChatEntry {
        let about = target.map { #","target":\#($0)"# } ?? ""
        let json = """
            {"conversation":"\(conversation)","number":\(number),"id":"\(conversation)-\(number)","type":"\(type)",\
            "from":"\(from)","time":1,"kind":"text","body":{"text":"\(number)"}\(about)}
            """
        return try #require(ChatEntry(try self.json(json)))
    }

    static func view(_ conversation: String, last: UInt64, read: UInt64, unread: Int) throws -> ChatView {
        let json = """
            {"conversation":"\(conversation)","kind":"group","last":\(last),"read":\(read),"unread":\(unread)}
            """
        return try #require(ChatView(try self.json(json)))
    }
}
