import Arguments
import JSON
import Reactor
import System
import Vocabulary
import Web

/// `parley push`: devices that sleep, and why a push did not arrive.
struct PushCommand: ParsableCommand {
    enum Action: String, CaseIterable, Sendable, ExpressibleByArgument {
        case keys, devices, test, trace
    }

    static let configuration = CommandConfiguration(
        name: "push",
        abstract: "Show which devices of a running server's users are woken, and what became of pushes.",
        discussion: """
            'keys' prints the key that push services know the server by. 'devices' lists the devices of a user, with the \
            latest push and what trouble there was. 'test' sends a push to all of them and waits until the push services \
            have answered. 'trace' lists what became of pushes in the last seven days: held (the user was there), \
            delivered (so no push was needed), queued, sent, accepted, failed (it is tried again), refused, gone (the \
            device was dropped), expired, replaced, withdrawn, received, clicked.
            """,
        examples: [
            .init("parley push trace ann --conversation AbC --number 17", "Why did Ann hear nothing of message 17?"),
            .init("parley push test ann", "Wake Ann's devices."),
            .init("parley push trace --json", "The latest 100 steps of all pushes, for a program."),
        ],
        exitCodes: [
            .init(.success, "Done; with test: every push service took its push."),
            .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers at the admin address."),
            .init(.failure, "The server refused; with test: there is no device, or a push did not go."),
        ]
    )

    @Argument(help: "Action; default: trace.")
    var action = Action.trace

    @Argument(help: "User ID; required by devices and test.")
    var user: String?

    @Option(help: "List only what is about this conversation.")
    var conversation: String?

    @Option(help: "List only what is about the message with this number.")
    var number: Int?

    @Option(help: "List only what is about this call.")
    var call: String?

    @Option(help: "Number of steps to list, at most 1000.")
    var limit = 100

    @Option(help: "How long test waits for the push services.")
    var wait = Duration.seconds(10)

    @OptionGroup var server: AdminOptions

    func validate() throws(ValidationError) {
        if let user = self.user, UserID(user) == nil { throw ValidationError("'\(user)' is no user id") }
        if self.user == nil, self.action == .devices || self.action == .test {
            throw ValidationError("\(self.action.rawValue): name a user")
        }
        guard (1...1000).contains(self.limit) else { throw ValidationError("--limit must be from 1 to 1000") }
        if let number = self.number, number < 0 { throw ValidationError("--number must not be negative") }
        if self.call != nil, self.conversation != nil {
            throw ValidationError("--call and --conversation do not go together")
        }
    }

    mutating func run() throws -> ExitCode {
        switch self.action {
        case .keys:
            self.show(try self.server.call.send(.get, "/v1/push")) { Swift.print(Self.text($0, "publicKey")) }
        case .devices:
            let answer = try self.server.call.send(.get, "/v1/push/devices?\(self.query(["user": self.user]))")
            self.show(answer) { answer in
                AdminTable.print(
                    answer, "devices", ["device", "service", "language", "since", "lastPush", "trouble"],
                    orElse: "No device of theirs is woken.", times: ["since", "lastPush"])
            }
        case .test: return try self.test()
        case .trace: self.show(try self.trace(self.number, limit: self.limit), self.printEvents)
        }
        return .success
    }

    private func show(_ answer: [UInt8], _ print: ([UInt8]) -> Void) {
        if self.server.json { Swift.print(String(decoding: answer, as: UTF8.self)) } else { print(answer) }
    }

    private func printEvents(_ answer: [UInt8]) {
        AdminTable.print(
            answer, "events",
            ["time", "user", "device", "type", "conversation", "call", "number", "event", "status", "reason"],
            orElse: "Nothing became of any push lately.", times: ["time"])
    }

    private func trace(_ number: Int?, limit: Int) throws -> [UInt8] {
        let query = self.query([
            "user": self.user, "conversation": self.conversation, "call": self.call,
            "number": number.map { "\($0)" }, "limit": "\(limit)",
        ])
        return try self.server.call.send(.get, "/v1/push/trace?\(query)")
    }

    private func query(_ items: [String: String?]) -> String {
        let known = items.compactMapValues(\.self).sorted { $0.key < $1.key }
        return known.map { "\($0.key)=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
    }

    private static func text(_ answer: [UInt8], _ name: String) -> String {
        (try? JSONObject(answer.span))?[name, .text] ?? ""
    }
}

// MARK: - A push to try

extension PushCommand {
    private func test() throws -> ExitCode {
        let answer = try self.server.call.send(.post, "/v1/push/test?\(self.query(["user": self.user]))")
        let count = (try? JSONObject(answer.span))?["devices", .integer].map { Int(clamping: $0) } ?? 0
        let push = Self.text(answer, "push")
        guard count > 0 else {
            self.show(answer) { _ in Swift.print("No device of theirs is woken.") }
            return .failure
        }
        let end = ContinuousClock.now + self.wait
        while true {
            let steps = self.steps(of: push, in: try self.trace(nil, limit: 1000))
            let ended = Set(steps.filter { Self.lastEvents.contains($0[4]) }.map { $0[1] })
            if ended.count < count, ContinuousClock.now < end {
                try Self.pause(for: .milliseconds(200))
                continue
            }
            self.show(steps, of: push)
            return steps.count { $0[4] == "accepted" } == count ? .success : .failure
        }
    }

    private static func pause(for time: Duration) throws {
        let group = try EventLoopGroup.forCommand()
        defer { group.shutDown() }
        let isOver = Gate()
        group.loops[0].execute { reactor in _ = reactor.schedule(after: time) { isOver.open() } }
        isOver.wait()
    }

    private static let lastEvents: Set = ["accepted", "refused", "gone", "expired", "replaced"]
    private static let columns = ["push", "device", "time", "type", "event", "status", "reason"]

    private func steps(of push: String, in trace: [UInt8]) -> [[String]] {
        AdminTable.rows(trace, "events", Self.columns, times: ["time"]).filter { $0[0] == push }
    }

    private func show(_ steps: [[String]], of push: String) {
        guard self.server.json else {
            for row in AdminTable.aligned(steps.map { Array($0.dropFirst()) }) { Swift.print(PlainText.of(row)) }
            return
        }
        let json = JSONWriter.object { json in
            json.field("push", push)
            json.array("events", of: steps) { json, step in
                json.object { json in
                    for (name, value) in zip(Self.columns, step) where name != "push" && !value.isEmpty {
                        json.field(name, value)
                    }
                }
            }
        }
        Swift.print(String(decoding: json, as: UTF8.self))
    }
}
