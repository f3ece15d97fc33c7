import Calling
import Conversing
import JSON
import Testing
import Vocabulary

@testable import Operations

@Suite("The table of operations")
struct OperationTests {
    @Test("finds every operation by its name, and nothing by another", arguments: Operation.all)
    func names(operation: Operation) {
        #expect(Operation(operation.name) == operation)
        #expect(Operation(operation.name + "x") == nil)
    }

    @Test("gives no two operations or events the same name, and no field to an operation twice")
    func distinct() {
        #expect(Set(Operation.all.map(\.name)).count == Operation.all.count)
        for operation in Operation.all {
            let names = operation.description.fields.map(\.name)
            #expect(Set(names).count == names.count, "\(operation.name)")
        }
    }

    @Test("has a field for every part of a path", arguments: Operation.all)
    func paths(operation: Operation) {
        let names = operation.description.fields.map(\.name)
        for route in operation.description.routes {
            #expect(Set(route.names).isSubset(of: names), "\(route.path)")
            #expect(Set(route.constants.map(\.name)).isSubset(of: names), "\(route.path)")
        }
    }

    private func read<Family: OperationFamily>(_ operation: Family, _ json: String) throws(RequestError)
        -> Family.Request
    {
        let bytes = Array(json.utf8)
        return try operation.request(JSONObject(body: bytes.span))
    }

    @Test("reads fields that are there, takes what is usual for others, and names what is wrong")
    func fields() throws {
        let request = try self.read(CallOperation.invite, #"{"user":"bob","extra":1,"call":null}"#)
        #expect(request == .invite(try #require(UserID("bob")), .video, as: nil))
        #expect(throws: RequestError(.badRequest, "field 'user' is missing: it must be the id of a user")) {
            try self.read(CallOperation.invite, "{}")
        }
        #expect(throws: RequestError(.badRequest, "field 'kind' must be audio or video")) {
            try self.read(CallOperation.invite, #"{"user":"bob","kind":"smoke"}"#)
        }
        #expect(throws: RequestError(.badRequest, "field 'user' must be the id of a user")) {
            try self.read(CallOperation.invite, #"{"user":7}"#)
        }
    }

    @Test("writes the fields of a request as the server reads them")
    func arguments() throws {
        let (conversation, user) = (try #require(ConversationID("c")), try #require(UserID("bob")))
        var json = JSONWriter()
        json.object { json in
            for argument in [
                Field.recipient(.conversation(conversation)), Field.posting(.forwarded(MessagePlace(conversation, 3))),
                Field.reply(7), Field.mentions([user]),
            ] { argument.write(to: &json) }
        }
        let request = try self.read(ChatOperation.send, String(decoding: json.bytes, as: UTF8.self))
        guard case .send(.conversation(conversation), .forwarded(let place), 7, [user], nil) = request else {
            return #expect(Bool(false), "\(request)")
        }
        #expect(place == MessagePlace(conversation, 3))
    }

    @Test("takes 'on' false or a number of days for a retention, and nothing else")
    func retention() throws {
        let on = #"{"conversation":"c","days":30}"#, off = #"{"conversation":"c","days":30,"on":false}"#
        guard case .retention(_, .seconds(2_592_000)) = try self.read(ChatOperation.retention, on),
            case .retention(_, nil) = try self.read(ChatOperation.retention, off)
        else { return #expect(Bool(false)) }
        for days in ["0", "36501", #""30""#] {
            #expect(throws: RequestError.self) {
                try self.read(ChatOperation.retention, #"{"conversation":"c","days":\#(days)}"#)
            }
        }
        #expect(throws: RequestError.self) { try self.read(ChatOperation.retention, #"{"conversation":"c"}"#) }
    }
}
