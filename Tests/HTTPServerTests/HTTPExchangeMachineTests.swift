import Testing

@testable import HTTPServer

@Suite("An exchange")
struct HTTPExchangeMachineTests {
    /// Where a test begins, reached by events.
    enum Stage: CaseIterable {
        case unclaimed, delivering, discarding, streamingUnclaimed, streamingComplete, complete, answered

        func walk(keepAlive: Bool = true) -> HTTPExchangeMachine {
            var machine = HTTPExchangeMachine(hasBody: true, keepAlive: keepAlive, expectsContinue: false)
            switch self {
            case .unclaimed: break
            case .delivering: _ = machine.bodyClaimed()
            case .discarding:
                machine.answerStarted(keepAlive: true)
                _ = machine.answerEnded()
            case .streamingUnclaimed: machine.answerStarted(keepAlive: true)
            case .streamingComplete:
                _ = machine.bodyClaimed()
                _ = machine.requestEnded()
                machine.answerStarted(keepAlive: true)
            case .complete:
                _ = machine.bodyClaimed()
                _ = machine.requestEnded()
            case .answered:
                _ = machine.bodyClaimed()
                _ = machine.requestEnded()
                machine.answerStarted(keepAlive: true)
                _ = machine.answerEnded()
            }
            return machine
        }
    }

    typealias Action = HTTPExchangeMachine.Action

    @Test(
        "that ends its request goes on when the answer is out",
        arguments: [
            (Stage.delivering, Action.nothing), (.discarding, .takeNext), (.complete, .nothing),
            (.streamingComplete, .nothing), (.answered, .takeNext),
        ])
    func requestEnded(stage: Stage, expected: Action) {
        var machine = stage.walk()
        let action = machine.requestEnded()
        let isComplete = machine.isRequestComplete
        #expect(action == expected && isComplete)
    }

    @Test(
        "that ends its answer goes on when the request is read",
        arguments: [
            (Stage.unclaimed, Action.nothing), (.delivering, .nothing), (.streamingUnclaimed, .nothing),
            (.complete, .takeNext), (.streamingComplete, .takeNext),
        ])
    func answerEnded(stage: Stage, expected: Action) {
        var machine = stage.walk()
        machine.answerStarted(keepAlive: true)
        let action = machine.answerEnded()
        let isDiscarding = machine.isDiscarding
        #expect(action == expected)
        #expect(isDiscarding == (expected == .nothing))
    }

    @Test("closes after an answer that nobody wanted to follow", arguments: [true, false], Stage.allCases)
    func closes(byClient: Bool, stage: Stage) {
        guard stage != .answered, stage != .discarding else { return }
        var machine = stage.walk(keepAlive: !byClient)
        machine.answerStarted(keepAlive: byClient)
        let action = machine.answerEnded()
        #expect(action == .close)
    }

    @Test("asks for the body once, when somebody claims it")
    func continues() {
        var machine = HTTPExchangeMachine(hasBody: true, keepAlive: true, expectsContinue: true)
        let claims = [machine.bodyClaimed(), machine.bodyClaimed()]
        #expect(claims == [true, false])
        let keeps = machine.mayKeepAlive(bodyLength: 10, atMost: 0)
        #expect(keeps)
    }

    @Test("closes when a client that waits to be asked for its body was not asked")
    func refusesBody() {
        var machine = HTTPExchangeMachine(hasBody: true, keepAlive: true, expectsContinue: true)
        let keeps = machine.mayKeepAlive(bodyLength: 10, atMost: 100)
        machine.answerStarted(keepAlive: true)
        let action = machine.answerEnded()
        #expect(!keeps && action == .close)
    }

    @Test("without a body expects only the request's end")
    func withoutBody() {
        var machine = HTTPExchangeMachine(hasBody: false, keepAlive: true, expectsContinue: true)
        let (takes, claimed) = (machine.takesBody, machine.bodyClaimed())
        #expect(takes && !claimed)
        let actions = [machine.requestEnded(), machine.answerEnded()]
        #expect(actions == [.nothing, .takeNext])
    }

    @Test("counts what it discards, and closes beyond the limit")
    func discards() {
        var machine = Stage.discarding.walk()
        let actions = [5, 5, 1].map { machine.bodyDiscarded($0, atMost: 10) }
        #expect(actions == [.nothing, .nothing, .close])
        var delivering = Stage.delivering.walk()
        let ignored = delivering.bodyDiscarded(1000, atMost: 10)
        #expect(ignored == .nothing)
    }

    @Test("takes the body only while it has somewhere to go", arguments: Stage.allCases)
    func takesBody(stage: Stage) {
        let takes = stage.walk().takesBody
        #expect(takes == [.delivering, .discarding].contains(stage))
    }

    @Test("is not worth keeping when too much of an unwanted body is to come", arguments: Stage.allCases)
    func tooMuchToDiscard(stage: Stage) {
        let keeps = stage.walk().mayKeepAlive(bodyLength: 11, atMost: 10)
        #expect(keeps == ![.unclaimed, .streamingUnclaimed].contains(stage))
    }
}
