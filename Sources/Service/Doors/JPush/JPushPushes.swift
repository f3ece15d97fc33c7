internal import HTTPServer
internal import JSON
internal import Keeping
internal import Reactor
internal import Vocabulary
internal import Web

/// `/v3/push` and what is asked before one.
struct JPushPushes {
    let visit: JPushVisit

    private static let maximumNames = 1000

    init(_ visit: JPushVisit) { self.visit = visit }

    /// It is in the store before it is answered.
    func push(_ body: [UInt8]) throws(JPushProblem) {
        try JPushSubmission(self.visit, body).send { self.answer($0) }
    }

    /// Everything but the sending.
    func validate(_ body: [UInt8]) throws(JPushProblem) {
        try JPushSubmission(self.visit, body).validate { self.answer($0) }
    }

    private func answer(_ result: Result<JPushSubmission.Receipt, JPushProblem>) {
        switch result {
        case .success(let receipt):
            self.visit.answer { json in
                json.field("sendno", "\(receipt.sendNumber)")
                json.field("msg_id", "\(receipt.number)")
            }
        case .failure(let problem): self.visit.refuse(problem)
        }
    }

    /// Of a group of programs, in the name of one.
    func pushToGroup(_ body: [UInt8], as key: String) throws(JPushProblem) {
        try JPushSubmission(self.visit, body, from: key).send { result in
            guard case .success(let receipt) = result else { return self.answer(result) }
            self.visit.answer { json in
                json.object(key) { json in
                    json.field("sendno", "\(receipt.sendNumber)")
                    json.field("msg_id", "\(receipt.number)")
                }
                json.field("group_msgid", "\(receipt.number)")
            }
        }
    }

    /// Each of them is taken or refused by itself.
    func pushBatch(_ body: [UInt8], to target: JPushBatch.Target) throws(JPushProblem) {
        let batch = try JPushBatch(body, target)
        _ = try self.visit.announcer
        let answers = Answers(batch.pushes.map(\.cid)) { self.visit.answer(json: $0) }
        for (cid, body) in batch.pushes {
            do throws(JPushProblem) {
                try JPushSubmission(self.visit, body.get()).send { answers.add($0, cid) }
            } catch {
                answers.add(.failure(error), cid)
            }
        }
    }

    /// What became of the pushes of a batch, until all are known.
    private final class Answers {
        private let cids: [String]
        private let done: ([UInt8]) -> Void
        private var found: [String: Result<JPushSubmission.Receipt, JPushProblem>] = [:]

        init(_ cids: [String], _ done: @escaping ([UInt8]) -> Void) {
            self.cids = cids
            self.done = done
        }

        func add(_ result: Result<JPushSubmission.Receipt, JPushProblem>, _ cid: String) {
            self.found[cid] = result
            guard self.found.count == self.cids.count else { return }
            self.done(JSONWriter.object { json in for cid in self.cids { self.write(cid, into: &json) } })
        }

        private func write(_ cid: String, into json: inout JSONWriter) {
            switch self.found[cid] {
            case .success(let receipt): json.object(cid) { $0.field("msg_id", receipt.number) }
            case .failure(let problem): json.field(cid, raw: problem.json)
            case nil: break
            }
        }
    }

    /// What nobody was told yet is told to nobody, and what was is taken back.
    func withdraw() throws(JPushProblem) {
        let announcer = try self.visit.announcer
        guard let number = self.visit.parameters["push"].flatMap({ Int64($0) }) else { throw Self.nothingToWithdraw }
        self.visit.ask(WithdrawAnnouncement(number, from: self.visit.key, at: SystemClock.now())) { announcement in
            guard let announcement else { return self.visit.refuse(Self.nothingToWithdraw) }
            self.visit.answer { _ in }
            announcer.withdraw(announcement)
        }
    }

    private static let nothingToWithdraw = JPushProblem.wrong("there is no such push of the last day")

    /// Names by which a program can make sure that nothing is sent twice.
    func makeNames() throws(JPushProblem) {
        let query = self.visit.query
        guard let count = Int(query?["count"] ?? "1"), (1...Self.maximumNames).contains(count) else {
            throw .wrong("'count' must be 1 to \(Self.maximumNames)")
        }
        guard ["push", "schedule"].contains(query?["type"] ?? "push") else {
            throw .wrong("'type' must be push or schedule")
        }
        let names = (0..<count).map { _ in "\(self.visit.key)-\(RandomToken.fresh().text)" }
        self.visit.answer { $0.array("cidlist", of: names) { $0.string($1) } }
    }
}
