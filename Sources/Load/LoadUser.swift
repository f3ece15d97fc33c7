internal import Client
internal import Operations
internal import Pathways
internal import Reactor
internal import Vocabulary

/// One of the many: gets in, stays in, and comes back.
final class LoadUser {
    let index: Int
    private(set) var id: UserID?
    private(set) var token = ""
    private(set) var isOnline = false
    private var client: LoopClient?
    private unowned let run: LoadRun
    private var since = SteadyClock.now
    /// Of its sessions; what an earlier one says at its end is of no interest.
    private var generation = 0
    private var comesAgain: (() -> Void)?

    init(_ index: Int, _ run: LoadRun) {
        self.index = index
        self.run = run
    }

    /// - Parameter settled: once, when it is clear whether this user got in.
    func arrive(_ tokens: LoadTokens, on reactor: Reactor) {
        let began = SteadyClock.now
        tokens.find(for: self.index) { result in
            switch result {
            case .failure(let failure): self.run.stayedAway(failure.description)
            case .success(let found):
                if case .anonymous = tokens.plan.admission { self.run.took(.signIn, since: began) }
                (self.id, self.token) = (found.user, found.token)
                self.connect(found.token, tokens.plan, on: reactor)
            }
        }
    }

    private func connect(_ token: String, _ plan: LoadPlan, on reactor: Reactor) {
        self.since = SteadyClock.now
        self.comesAgain = { [weak self] in self?.connect(token, plan, on: reactor) }
        let generation = self.generation + 1
        self.generation = generation
        let client = LoopClient(plan.server, token: token, on: reactor) { [weak self] event in
            if self?.generation == generation { self?.heard(event) }
        }
        self.client = client
        client.connect()
    }

    private func heard(_ event: ParleyEvent) {
        switch event {
        case .connected: self.arrived(isRecovered: false)
        case .recovered: self.arrived(isRecovered: true)
        case .disconnected(_, let delay):
            self.isOnline = false
            self.since = SteadyClock.now.advanced(by: delay)
        case .ended(let failure):
            self.isOnline = false
            if !self.run.isOver { self.run.left(self, "\(failure)") }
        default: break
        }
        self.run.heard(event, by: self)
    }

    private func arrived(isRecovered: Bool) {
        self.isOnline = true
        self.run.arrived(self, since: self.since, isRecovered: isRecovered)
    }

    func request(_ operation: Operation, _ arguments: [Argument], then answer: @escaping LoopClient.Answer) {
        self.client?.request(operation, arguments, then: answer)
    }

    func request(named event: String, _ argument: RawJSON, then answer: @escaping LoopClient.Answer) {
        self.client?.request(named: event, argument, then: answer)
    }

    func cut() { self.client?.cut() }

    /// Leaves, and is there at once with another session.
    func comeAgain() {
        guard self.isOnline else { return }
        self.leave()
        self.run.gone(self)
        self.comesAgain?()
    }

    func leave() {
        self.isOnline = false
        self.generation += 1
        self.client.take()?.close()
    }
}
