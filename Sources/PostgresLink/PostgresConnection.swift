internal import Reactor
internal import Vocabulary

/// One session with a PostgreSQL, in pipeline mode: what is sent in a turn leaves together at its end, and answers come in
/// the order of what was sent. Lives on its loop; nothing in here waits.
///
/// Statements in front of a `sync` belong together: they are one transaction where they open none themselves, and after an error
/// the rest of them is not carried out. Nothing may be answered before the next `sync`.
package final class PostgresConnection: EndOfTurn {
    package typealias Answer = (Result<PostgresRows, PostgresError>) -> Void
    package typealias SyncAnswer = (PostgresError?) -> Void

    /// What came in behind a script that is not yet answered.
    private enum Held {
        case statement(String, [PostgresValue], Answer)
        case sync(SyncAnswer)
        case script(PostgresScript, Answer)
    }

    private struct Running {
        let answer: Answer
        var outcome: Result<PostgresRows, PostgresError>?
    }

    /// Where it leads to.
    package let name: String
    /// Called once when the connection is gone without `close`, after everybody who waited was told.
    package var onBroken: (PostgresError) -> Void = { _ in }
    package var onNotify: (PostgresNotification) -> Void = { _ in }

    private let reactor: Reactor
    private let answerTimeout: Duration?
    private var session: LibpqSession?
    private var watch: SharedSocketWatch?
    private var machine = PipelineMachine<Answer, SyncAnswer>()
    private var script: Running?
    private var held: [Held] = []
    private var willFlush = false
    private var isWriting = false
    /// When the server last moved, or began to owe us something.
    private var lastMove: UInt64 = 0
    private var timer: TimerToken?

    /// Takes over a session that is connected.
    init(_ session: LibpqSession, _ name: String, _ options: PostgresOptions, on reactor: Reactor) throws(PostgresError)
    {
        self.session = session
        self.name = name
        self.reactor = reactor
        self.answerTimeout = options.answerTimeout
        guard session.enterPipeline() else { throw PostgresError(.unreachable, "\(name): \(session.failure)") }
        do throws(ReactorError) {
            let watch = try SharedSocketWatch(copying: session.socket, on: reactor) { [weak self] _ in self?.ready() }
            watch.wait(reading: true, writing: false)
            self.watch = watch
        } catch {
            throw PostgresError(.unreachable, "\(name): \(error)")
        }
    }

    deinit { self.watch?.close() }

    package var isOpen: Bool { self.session != nil }
    package var serverProcess: Int32 { self.session?.serverProcess ?? 0 }
    /// As in 150018 for 15.18.
    package var serverVersion: Int { self.session?.serverVersion ?? 0 }
    package var isEncrypted: Bool { self.session?.isEncrypted ?? false }
    /// As of the last sync that was answered.
    package var transaction: PostgresTransaction { self.session?.transaction ?? .unknown }
    /// Whether an answer is still to come.
    package var isBusy: Bool { self.machine.isOwed || self.script != nil || !self.held.isEmpty }
}

// MARK: - Sending

extension PostgresConnection {
    /// Executes one statement; it is parsed at its first use and known by its text from then on, so values belong into `values`.
    package func send(_ text: String, _ values: [PostgresValue] = [], _ answer: @escaping Answer) {
        precondition(values.count <= PostgresParameters.most, "\(values.count) parameters")
        guard self.isOpen else { return self.refuse { answer(.failure($0)) } }
        guard !self.isHolding else { return self.held.append(.statement(text, values, answer)) }
        self.hand(text, values, answer)
    }

    /// Ends what belongs together. Answered with the first error in it, nil where there was none: then the server has it.
    package func sync(_ answer: @escaping SyncAnswer) {
        guard self.isOpen else { return self.refuse { answer($0) } }
        guard !self.isHolding else { return self.held.append(.sync(answer)) }
        self.handSync(answer)
    }

    /// Carries out a script. What was sent before has to end with a `sync`. Its rows come as text.
    package func run(_ script: PostgresScript, _ answer: @escaping Answer) {
        guard self.isOpen else { return self.refuse { answer(.failure($0)) } }
        guard !self.isHolding, !self.machine.isOwed else { return self.held.append(.script(script, answer)) }
        self.hand(script, answer)
    }

    private var isHolding: Bool { self.script != nil || !self.held.isEmpty }

    private func refuse(_ answer: @escaping (PostgresError) -> Void) {
        let error = PostgresError(.broken, "\(self.name): the connection is closed")
        self.reactor.schedule(after: .zero) { answer(error) }
    }

    private func hand(_ text: String, _ values: [PostgresValue], _ answer: @escaping Answer) {
        self.willOwe()
        let isSent: Bool? =
            switch self.machine.send(text, answer) {
            case .unparsed(let name):
                self.session.map { $0.prepare(name, text) && $0.execute(name, values) }
            case .parsed(let name): self.session?.execute(name, values)
            }
        self.sent(isSent == true)
    }

    private func handSync(_ answer: @escaping SyncAnswer) {
        self.willOwe()
        self.machine.sync(answer)
        self.sent(self.session?.sync() == true)
    }

    private func hand(_ script: PostgresScript, _ answer: @escaping Answer) {
        self.willOwe()
        self.script = Running(answer: answer)
        self.sent(self.session.map { $0.exitPipeline() && $0.run(script) } == true)
    }

    /// What libpq could not take is told at the turn's end, so that nobody is answered within the call.
    private func sent(_ isSent: Bool) {
        if !isSent { self.reactor.schedule(after: .zero) { self.breakOff() } }
        guard !self.willFlush else { return }
        self.willFlush = true
        self.reactor.atEndOfTurn(self)
    }

    package func turnEnded() {
        self.willFlush = false
        self.flush()
    }

    private func flush() {
        guard let session = self.session else { return }
        guard let isWriting = session.flush() else { return self.breakOff() }
        self.isWriting = isWriting
        self.watch?.wait(reading: true, writing: isWriting)
    }

    /// After a script what came behind it follows, up to the next one.
    private func handHeld() {
        while let next = self.held.first, self.script == nil, self.isOpen {
            if case .script = next, self.machine.isOwed { return }
            self.held.removeFirst()
            switch next {
            case .statement(let text, let values, let answer): self.hand(text, values, answer)
            case .sync(let answer): self.handSync(answer)
            case .script(let script, let answer): self.hand(script, answer)
            }
        }
    }
}

// MARK: - Answers

extension PostgresConnection {
    private func ready() {
        guard let session = self.session else { return }
        self.lastMove = self.reactor.now
        let isWhole = session.read()
        self.readAnswers()
        guard self.session === session else { return }
        while let notification = session.nextNotification() { self.onNotify(notification) }
        guard self.session === session else { return }
        guard isWhole, session.isConnected else { return self.breakOff() }
        if self.isWriting { self.flush() }
    }

    private func readAnswers() {
        var endings = 0
        while let session = self.session, self.machine.isOwed || self.script != nil, session.hasAnswer {
            let answer = session.nextAnswer()
            if case .done = answer { endings += 1 } else { endings = 0 }
            // Each statement has one end; two in a row mean that libpq and we count differently.
            guard endings < 2 else { return self.breakOff() }
            if self.script != nil { self.takeScript(answer) } else { self.take(answer) }
        }
    }

    private func take(_ answer: LibpqSession.Answer) {
        do throws(PipelineMachine<Answer, SyncAnswer>.OutOfStep) {
            switch answer {
            case .done: return
            case .rows(let rows): self.carryOut(try self.machine.received(.rows(rows)))
            case .failed(let error): self.carryOut(try self.machine.received(.failed(error)))
            case .aborted: self.carryOut(try self.machine.received(.aborted))
            case .synced: self.carryOut(try self.machine.received(.synced))
            case .ended(let error): self.breakOff(error)
            }
        } catch {
            self.breakOff(PostgresError(.broken, "\(self.name): an answer without a question"))
        }
        if !self.machine.isOwed, !self.held.isEmpty { self.handHeld() }
    }

    private func carryOut(_ order: PipelineMachine<Answer, SyncAnswer>.Order?) {
        switch order {
        case .answer(let answer, let result): answer(result)
        case .synced(let answer, let error): answer(error)
        case nil: break
        }
    }

    private func takeScript(_ answer: LibpqSession.Answer) {
        switch answer {
        case .rows(let rows): if case .failure = self.script?.outcome {} else { self.script?.outcome = .success(rows) }
        case .failed(let error): self.script?.outcome = .failure(error)
        case .ended(let error): self.breakOff(error)
        case .aborted, .synced: self.breakOff(PostgresError(.broken, "\(self.name): an answer without a question"))
        case .done: self.scriptEnded()
        }
    }

    private func scriptEnded() {
        guard let running = self.script.take() else { return }
        guard self.session?.enterPipeline() == true else {
            running.answer(.failure(self.brokenError(nil)))
            return self.breakOff()
        }
        running.answer(running.outcome ?? .failure(PostgresError(.other, "a script without statements")))
        self.handHeld()
    }
}

// MARK: - The end

extension PostgresConnection {
    /// Ends the session. What waits for an answer is told that the connection is gone, after this call.
    package func close() {
        guard self.isOpen else { return }
        let waiting = self.letGo(PostgresError(.broken, "\(self.name): closed"))
        self.reactor.schedule(after: .zero) { for tell in waiting { tell() } }
    }

    private func breakOff(_ words: PostgresError? = nil) {
        guard self.isOpen else { return }
        let why = words ?? self.session?.lastWords
        let error = self.brokenError(why)
        let waiting = self.letGo(error)
        for tell in waiting { tell() }
        self.onBroken(why ?? error)
    }

    /// Whatever ended it: who waits cannot know what the server still did.
    private func brokenError(_ words: PostgresError?) -> PostgresError {
        let failure = self.session?.failure.split(separator: "\n").first.map { String($0) } ?? "the connection is gone"
        return PostgresError(.broken, state: words?.state ?? "", words?.message ?? "\(self.name): \(failure)")
    }

    private func letGo(_ error: PostgresError) -> [() -> Void] {
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        // Our copy first, so that libpq's word of farewell ends the connection.
        self.watch?.close()
        self.watch = nil
        self.session = nil
        var waiting = self.machine.ended(error).map { order in { self.carryOut(order) } }
        if let script = self.script.take() { waiting.append { script.answer(.failure(error)) } }
        for held in self.held {
            switch held {
            case .statement(_, _, let answer), .script(_, let answer): waiting.append { answer(.failure(error)) }
            case .sync(let answer): waiting.append { answer(error) }
            }
        }
        self.held = []
        return waiting
    }

    /// Begins to count the time until the server moves.
    private func willOwe() {
        guard let timeout = self.answerTimeout else { return }
        if !self.machine.isOwed, self.script == nil { self.lastMove = self.reactor.now }
        guard self.timer == nil else { return }
        self.timer = self.reactor.schedule(after: timeout) { [weak self] in self?.checkTime(timeout) }
    }

    private func checkTime(_ timeout: Duration) {
        self.timer = nil
        guard self.machine.isOwed || self.script != nil else { return }
        let silence = Duration.milliseconds(Int64(self.reactor.now &- self.lastMove))
        guard silence < timeout else {
            return self.breakOff(PostgresError(.broken, "\(self.name): the server owes an answer for \(silence)"))
        }
        self.timer = self.reactor.schedule(after: timeout - silence) { [weak self] in self?.checkTime(timeout) }
    }
}
