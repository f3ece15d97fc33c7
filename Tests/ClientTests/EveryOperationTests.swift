import Calling
import Client
import Conversing
import Operations
import Testing
import Vocabulary

@Suite("A client that asks for everything there is", .timeLimit(.minutes(1)))
struct EveryOperationTests {
    /// What a field holds where it has to be there.
    private let samples: [String: Argument]
    /// Where one of several fields has to be there.
    private let choices: [Operation: [Argument]]

    init() throws {
        let (conversation, user) = (try #require(ConversationID("c")), try #require(UserID("bob")))
        let (room, call) = (try #require(RoomName("r")), try #require(CallID("CALLCALLCALLCALLCA01")))
        let body = MessageBody(proven: Array(#"{"text":"hello"}"#.utf8))
        let arguments = [
            Field.conversation(conversation), Field.user(user), Field.room(room), Field.call(call), Field.number(1),
            Field.body(body), Field.reaction(try #require(Reaction("+1"))), Field.users([user]), Field.role(.admin),
            Field.title(try #require(DisplayName("Team"))), Field.words("hello"), Field.atOnce(1), Field.token("t"),
        ]
        self.samples = Dictionary(uniqueKeysWithValues: arguments.map { ($0.names[0], $0) })
        self.choices = [
            .signal: [Field.room(room), SignalContent.data.argument(Array("1".utf8))],
            .chat(.send): [Field.recipient(.user(user)), Field.posting(.said(.text, body))],
            .chat(.report): [Field.reported(.user(user)), Field<ReportReason>.reason(.spam)],
            .chat(.slow): [Field.conversation(conversation), Field.slowMode(nil)],
            .chat(.retention): [Field.conversation(conversation), Field.retention(nil)],
            .presence(.watch): [Field.watched(.users([user]))],
            .presence(.unwatch): [Field.watched(.everybody)],
        ]
    }

    private func arguments(of operation: Operation) throws -> [Argument] {
        if let choice = self.choices[operation] { return choice }
        return try operation.description.fields.filter { !$0.isOptional }.map { try #require(self.samples[$0.name]) }
    }

    @Test(
        "Every operation is understood by the server as the client writes it, and refused only for what its table says")
    func understood() async throws {
        let stage = try Stage()
        let ann = try await stage.guest("Ann")
        for operation in Operation.all {
            let arguments = try self.arguments(of: operation)
            do throws(ClientError) {
                try await ann.client.request(operation, arguments)
            } catch {
                guard case .refused(let refusal) = error else { throw error }
                let code = RequestError.Code(rawValue: refusal.code)
                #expect(code.map { operation.description.refusals.contains($0) } == true, "\(operation): \(refusal)")
            }
        }
    }
}
