internal import HTTPServer
internal import JSON
internal import Keeping
internal import Reactor
internal import Vocabulary
internal import Web

/// `/v3/push` and what is asked before one.
struct JPushPushes {
    let visit: JPushVisit

    private static let portion = 200
    private static let maximumNames = 1000

    init(_ visit: JPushVisit) { self.visit = visit }

    /// It is in the store before it is answered.
    func push(_ body: [UInt8]) throws(JPushProblem) {
        let request = try JPushRequest(body)
        let announcer = try self.visit.announcer
        self.check(request) { self.announce(request, body, announcer) }
    }

    /// Everything but the sending.
    func validate(_ body: [UInt8]) throws(JPushProblem) {
        let request = try JPushRequest(body)
        _ = try self.visit.announcer
        self.check(request) { self.answer(request, SystemClock.now().milliseconds << 8) }
    }

    private func announce(_ request: JPushRequest, _ body: [UInt8], _ announcer: JPushAnnouncer) {
        self.visit.ask(JPushDelivery.announcement(request, body, from: self.visit.key, at: SystemClock.now())) { made in
            switch made {
            case .new(let announcement):
                self.answer(request, announcement.number)
                announcer.wake()
            case .repeated(let first): self.answer(first)
            case .nothingToOverride: self.visit.refuse(Self.nothingToOverride)
            }
        }
    }

    // MARK: - Before

    /// What was said before is answered as it was. All else must have somebody whom it concerns.
    private func check(_ request: JPushRequest, _ isRight: @escaping () -> Void) {
        guard let cid = request.cid else { return self.checkOverridden(request, isRight) }
        self.visit.ask(FindNamedAnnouncement(cid, from: self.visit.key, at: SystemClock.now())) { first in
            if let first { return self.answer(first) }
            self.checkOverridden(request, isRight)
        }
    }

    private func checkOverridden(_ request: JPushRequest, _ isRight: @escaping () -> Void) {
        guard let number = request.options.overridden else { return self.find(request, isRight) }
        self.visit.ask(FindAnnouncement(number)) { old in
            guard let old, old.source == self.visit.key,
                SystemClock.now() < old.created + MakeAnnouncement.memory
            else { return self.visit.refuse(Self.nothingToOverride) }
            self.find(request, isRight)
        }
    }

    private static let nothingToOverride = JPushProblem.wrong("'override_msg_id' names no push of the last day")

    private func find(_ request: JPushRequest, after start: String = "", _ found: @escaping () -> Void) {
        self.visit.ask(FindPushAudience(request.audience, after: start, limit: Self.portion)) { page in
            if page.recipients.contains(where: { request.concerns($0.device) }) { return found() }
            guard let next = page.next else {
                return self.visit.refuse(.nobody("no device is registered for this audience and these platforms"))
            }
            self.find(request, after: next, found)
        }
    }

    // MARK: - Answers

    private func answer(_ first: Announcement) {
        do throws(JPushProblem) {
            self.answer(try JPushRequest(first.content), first.number)
        } catch {
            self.visit.refuse(error)
        }
    }

    private func answer(_ request: JPushRequest, _ number: Int64) {
        self.visit.answer { json in
            json.field("sendno", "\(request.options.number)")
            json.field("msg_id", "\(number)")
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
