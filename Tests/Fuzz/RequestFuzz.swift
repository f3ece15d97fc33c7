import JSON
import Operations

/// Whatever the fields of a request are, each operation takes them or says which one is wrong.
enum RequestFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        self.strict(input.bytes)
        guard let request = try? JSONObject(body: input.bytes.span) else { return }
        let operation = Operation.all[Int(input.control) % Operation.all.count]
        demand(Operation(operation.name) == operation, "an operation is not found by its name")
        do throws(RequestError) {
            try self.read(operation, request, input.bytes)
        } catch {
            demand(!error.message.isEmpty && error.message.utf8.count < 1000, "a refusal nobody can read")
        }
    }

    private static func read(
        _ operation: Operation, _ request: borrowing JSONObject, _ bytes: [UInt8]
    ) throws(RequestError) {
        switch operation {
        case .signal:
            let signal = try SignalRequest(bytes.span, arguments: bytes.indices, count: 1)
            demand(RawSignal.isWhole(signal, in: bytes), "what is passed on is no JSON")
        case .room(let operation): _ = try operation.request(request)
        case .call(let operation): _ = try operation.request(request)
        case .presence(let operation): _ = try operation.request(request)
        case .profile(let operation): _ = try operation.request(request)
        case .chat(let operation): _ = try operation.request(request)
        case .session(let operation): _ = try operation.request(request)
        }
    }

    private enum RawSignal {
        static func isWhole(_ signal: SignalRequest, in bytes: [UInt8]) -> Bool {
            let json = Array(bytes[signal.json])
            return (try? JSONReader(json.span).document()) != nil
        }
    }

    /// An object of known, single names is what a token or a stranger's list has to be.
    private static func strict(_ bytes: [UInt8]) {
        let rules = JSONObject.Rules(depth: 8, maximumMembers: 16, isStrict: true)
        guard let object = try? JSONObject(bytes.span, rules) else { return }
        demand(object.members.count <= 16, "too many members")
        var names: Set<String> = []
        for member in object.members {
            let name = object.name(of: member)
            demand(names.insert(name).inserted, "a name stands twice")
            demand(object.value(name)?.range == member.value.range, "a member is another")
        }
    }
}
