import Calling
import Testing
import Vocabulary

/// Every state of a call, and everything that can happen to it there: `a1` rings `b`, who has `b1` and `b2`.
@Suite("A call, in every state")
struct CallMachineStateTests {
    enum Stage: CaseIterable {
        case ringing
        case talking
        /// The callee's seat waits for its line.
        case waiting
        case ended
        case merged
    }

    enum Event: String {
        case acknowledged, accepted, declined, hungUp, failed, opened, lost, seatTaken, crossed, removed, stopped
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let event: Event
        let line: String
        /// What comes of it in each stage. What begins with `!` is a refusal.
        let results: [String]

        init(_ event: Event, _ line: String, _ results: String...) {
            self.event = event
            self.line = line
            self.results = results
        }

        var testDescription: String { "\(self.event) \(self.line)" }
    }

    static let rows = [
        //                     ringing             talking              waiting              ended       merged
        Row(.acknowledged, "b1", "ringing", "talking", "waiting", "!declined", "!elsewhere"),
        Row(.acknowledged, "a1", "!notYours", "!notYours", "!notYours", "!notYours", "!notYours"),
        Row(.accepted, "b1", "talking", "talking", "waiting", "!declined", "!elsewhere"),
        Row(.accepted, "b2", "talking", "!elsewhere", "!elsewhere", "!declined", "!elsewhere"),
        Row(.accepted, "a1", "!notYours", "!notYours", "!notYours", "!notYours", "!notYours"),
        Row(.declined, "b1", "declined", "completed", "completed", "!declined", "!elsewhere"),
        Row(.declined, "b2", "declined", "!elsewhere", "completed", "!declined", "!elsewhere"),
        Row(.declined, "a1", "!notYours", "!notYours", "!notYours", "!notYours", "!notYours"),
        Row(.hungUp, "a1", "cancelled", "completed", "completed", "!declined", "!elsewhere"),
        Row(.hungUp, "a2", "cancelled", "!elsewhere", "!elsewhere", "!declined", "!elsewhere"),
        Row(.hungUp, "b1", "declined", "completed", "completed", "!declined", "!elsewhere"),
        Row(.hungUp, "b2", "declined", "!elsewhere", "completed", "!declined", "!elsewhere"),
        Row(.hungUp, "c1", "!notYours", "!notYours", "!notYours", "!notYours", "!notYours"),
        Row(.failed, "a1", "failed", "failed", "failed", "!declined", "!elsewhere"),
        Row(.failed, "b1", "ringing", "failed", "failed", "!declined", "!elsewhere"),
        Row(.failed, "b2", "ringing", "!elsewhere", "failed", "!declined", "!elsewhere"),
        Row(.opened, "a1", "ringing", "talking", "waiting", "declined", "merged"),
        Row(.opened, "b1", "ringing", "talking", "talking", "declined", "merged"),
        Row(.opened, "b3", "ringing", "talking", "waiting", "declined", "merged"),
        Row(.lost, "a1", "ringing", "talking", "waiting", "declined", "merged"),
        Row(.lost, "b1", "ringing", "waiting", "waiting", "declined", "merged"),
        Row(.lost, "b2", "ringing", "talking", "waiting", "declined", "merged"),
        Row(.seatTaken, "a1", "ringing", "talking", "waiting", "!declined", "!elsewhere"),
        Row(.seatTaken, "a2", "!seatTaken", "!seatTaken", "!seatTaken", "!declined", "!elsewhere"),
        Row(.seatTaken, "b1", "ringing", "talking", "talking", "!declined", "!elsewhere"),
        Row(.seatTaken, "b2", "ringing", "!seatTaken", "talking", "!declined", "!elsewhere"),
        Row(.seatTaken, "c1", "!notYours", "!notYours", "!notYours", "!notYours", "!notYours"),
        Row(.crossed, "b1", "talking", "!elsewhere", "!elsewhere", "!declined", "!elsewhere"),
        Row(.crossed, "c1", "!notYours", "!notYours", "!notYours", "!notYours", "!notYours"),
        Row(.removed, "a1", "cancelled", "completed", "completed", "declined", "merged"),
        Row(.removed, "b1", "declined", "completed", "completed", "declined", "merged"),
        Row(.stopped, "a1", "serverRestarted", "talking", "waiting", "declined", "merged"),
    ]

    @Test("does what the table says", arguments: Self.rows, Stage.allCases)
    func table(row: Row, stage: Stage) throws {
        var outbox = CallOutbox()
        var call = try self.call(at: stage)
        let place = try #require(Stage.allCases.firstIndex(of: stage))
        #expect(try self.result(of: row, on: &call, into: &outbox) == row.results[place])
    }

    @Test("has a deadline while somebody is waited for, and only then", arguments: Stage.allCases)
    func deadline(stage: Stage) throws {
        let expected: Int64? =
            switch stage {
            case .ringing: 45_000
            case .waiting: 15_000
            case .talking, .ended, .merged: nil
            }
        #expect(try self.call(at: stage).deadline == expected.map { Instant(milliseconds: $0) })
    }

    @Test("lets time pass without harm before its deadline and after its end", arguments: Stage.allCases)
    func time(stage: Stage) throws {
        var call = try self.call(at: stage)
        var outbox = CallOutbox()
        call.clockAdvanced(to: Instant(milliseconds: 14_999), into: &outbox)
        #expect(outbox.isEmpty)
        if call.deadline == nil { call.clockAdvanced(to: Instant(milliseconds: .max), into: &outbox) }
        #expect(outbox.isEmpty)
    }

    private func call(at stage: Stage) throws -> CallMachine {
        var outbox = CallOutbox()
        let start = Instant(milliseconds: 0)
        let (b1, invitation) = try (Cast.line("b1"), self.invitation("5", "a1", "b"))
        var call = CallMachine(
            invitation, ringing: try ["b1", "b2"].map(Cast.session), settings: CallSettings(), at: start,
            into: &outbox)
        switch stage {
        case .ringing: break
        case .ended: try call.declined(by: b1, at: start, into: &outbox)
        case .merged: _ = try call.crossed(by: self.invitation("4", "b1", "a"), at: start, into: &outbox)
        case .talking, .waiting: try call.accepted(by: b1, at: start, into: &outbox)
        }
        if stage == .waiting { call.lineLost(b1, at: start, into: &outbox) }
        return call
    }

    private func result(of row: Row, on call: inout CallMachine, into outbox: inout CallOutbox) throws -> String {
        let line = try Cast.line(row.line)
        let (crossing, a1) = try (self.invitation("6", row.line, "a"), Cast.line("a1"))
        do throws(CallRefusal) {
            try self.happen(row.event, by: line, crossing, on: &call, into: &outbox)
            return self.stage(of: call, for: a1)
        } catch {
            switch error {
            case .ended(let outcome): return "!\(outcome)"
            case .answeredElsewhere: return "!elsewhere"
            default: return "!\(error)"
            }
        }
    }

    private func happen(
        _ event: Event, by line: Line, _ crossing: CallInvitation, on call: inout CallMachine,
        into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        let now = Instant(milliseconds: 1_000)
        switch event {
        case .acknowledged: try call.acknowledged(by: line, into: &outbox)
        case .accepted: try call.accepted(by: line, at: now, into: &outbox)
        case .declined: try call.declined(by: line, at: now, into: &outbox)
        case .hungUp: try call.hungUp(by: line, at: now, into: &outbox)
        case .failed: try call.failed(by: line, at: now, into: &outbox)
        case .opened: call.lineOpened(line, into: &outbox)
        case .lost: call.lineLost(line, at: now, into: &outbox)
        case .seatTaken: try call.seatTaken(by: line, replacing: nil, into: &outbox)
        case .crossed: _ = try call.crossed(by: crossing, at: now, into: &outbox)
        case .removed: call.userRemoved(line.user, at: now, into: &outbox)
        case .stopped: call.serverStopped(at: now, into: &outbox)
        }
    }

    /// Seen from the caller, whose peer may be away.
    private func stage(of call: CallMachine, for line: Line) -> String {
        guard let view = try? call.view(for: line) else { return "merged" }
        switch view.phase {
        case .ringing: return "ringing"
        case .talking(_, let isPeerAway, _): return isPeerAway ? "waiting" : "talking"
        case .talkingElsewhere: return "talkingElsewhere"
        case .ended(let outcome): return "\(outcome)"
        }
    }

    private func invitation(_ call: String, _ caller: String, _ callee: String) throws -> CallInvitation {
        try CallInvitation(Cast.call(call), from: Cast.line(caller), to: Cast.user(callee), kind: .video)
    }
}
