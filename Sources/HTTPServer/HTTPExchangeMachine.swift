/// One request and its answer: who has finished, and what the connection does then.
///
///     request   unclaimed ──claimed──▶ delivering ──ended──▶ complete
///                   └──answered first──▶ discarding ──ended──▶ complete
///     answer    none ──started──▶ streaming ──ended──▶ complete
///
/// When both are complete the connection takes the next request, or closes.
struct HTTPExchangeMachine: ~Copyable {
    enum Request: Hashable {
        /// The handler has not asked for the body yet, so it waits. Can become: delivering, discarding.
        case unclaimed
        /// What comes is taken at once. A request without a body begins here: only its end is to be read.
        /// Can become: discarding, complete.
        case delivering
        /// The answer is out and the rest of the body is not wanted. Can become: complete.
        case discarding(bytes: Int)
        case complete
    }

    enum Answer: Hashable {
        case none
        case streaming
        case complete
    }

    enum Action: Hashable {
        case nothing
        case takeNext
        case close
    }

    private(set) var request: Request
    private(set) var answer = Answer.none
    private var keepAlive: Bool
    /// The client sends the body only after `100 Continue`, and we have not said that.
    private var awaitsContinue: Bool

    init(hasBody: Bool, keepAlive: Bool, expectsContinue: Bool) {
        self.request = hasBody ? .unclaimed : .delivering
        self.keepAlive = keepAlive
        self.awaitsContinue = expectsContinue && hasBody
    }

    var isRequestComplete: Bool { self.request == .complete }
    /// Whether what comes of the request has somewhere to go.
    var takesBody: Bool { self.request != .unclaimed && self.request != .complete }
    var isDiscarding: Bool { if case .discarding = self.request { true } else { false } }

    /// Whether the connection is worth keeping after an answer that begins now, when so much of the body is known
    /// to be still to come.
    func mayKeepAlive(bodyLength: Int, atMost limit: Int) -> Bool {
        guard self.keepAlive, !self.awaitsContinue else { return false }
        return self.request != .unclaimed || bodyLength <= limit
    }

    /// The handler wants the body. True when the client has to be told to send it.
    mutating func bodyClaimed() -> Bool {
        guard self.request == .unclaimed else { return false }
        self.request = .delivering
        return self.awaitsContinue.taken()
    }

    /// Bytes came that the handler does not read; too many of them are not worth the connection.
    mutating func bodyDiscarded(_ count: Int, atMost limit: Int) -> Action {
        guard case .discarding(let before) = self.request else { return .nothing }
        self.request = .discarding(bytes: before + count)
        return before + count > limit ? .close : .nothing
    }

    mutating func requestEnded() -> Action {
        self.request = .complete
        return self.whatNow
    }

    mutating func answerStarted(keepAlive: Bool) {
        self.answer = .streaming
        self.keepAlive = self.keepAlive && keepAlive
    }

    mutating func answerEnded() -> Action {
        self.answer = .complete
        if self.request == .unclaimed || self.request == .delivering { self.request = .discarding(bytes: 0) }
        return self.whatNow
    }

    private var whatNow: Action {
        guard self.answer == .complete else { return .nothing }
        // A client that still waits to send its body would take what follows for part of it.
        if !self.keepAlive || self.awaitsContinue { return .close }
        return self.request == .complete ? .takeNext : .nothing
    }
}

extension Bool {
    /// What it was; it is false from now on.
    fileprivate mutating func taken() -> Bool {
        defer { self = false }
        return self
    }
}
