internal import Keeping
internal import Vocabulary

/// One push of a program on its way into the store.
struct JPushSubmission {
    /// What is answered when it is there.
    struct Receipt: Hashable {
        let sendNumber: Int
        let number: Int64
    }

    typealias Done = (Result<Receipt, JPushProblem>) -> Void

    private let visit: JPushVisit
    private let announcer: JPushAnnouncer
    private let request: JPushRequest
    private let body: [UInt8]
    /// The app key in whose name it is said.
    private let source: String

    private static let portion = 200

    init(_ visit: JPushVisit, _ body: [UInt8], from source: String? = nil) throws(JPushProblem) {
        self.visit = visit
        self.source = source ?? visit.key
        self.body = body
        self.request = try JPushRequest(body)
        self.announcer = try visit.announcer
    }

    func send(_ done: @escaping Done) {
        self.check(done) { self.announce(done) }
    }

    /// Everything but the sending.
    func validate(_ done: @escaping Done) {
        self.check(done) { done(.success(self.receipt(SystemClock.now().milliseconds << 8))) }
    }

    private func announce(_ done: @escaping Done) {
        let announcement = JPushDelivery.announcement(
            self.request, self.body, from: self.source, at: SystemClock.now())
        self.ask(announcement, done) { made in
            switch made {
            case .new(let announcement):
                done(.success(self.receipt(announcement.number)))
                self.announcer.wake()
            case .repeated(let first): self.repeated(first, done)
            case .nothingToOverride: done(.failure(Self.nothingToOverride))
            }
        }
    }

    private func receipt(_ number: Int64) -> Receipt {
        Receipt(sendNumber: self.request.options.number, number: number)
    }

    private func repeated(_ first: Announcement, _ done: Done) {
        do throws(JPushProblem) {
            let request = try JPushRequest(first.content)
            done(.success(Receipt(sendNumber: request.options.number, number: first.number)))
        } catch {
            done(.failure(error))
        }
    }

    private func ask<Request: StoreRequest>(
        _ request: Request, _ done: @escaping Done, _ answered: @escaping (Request.Answer) -> Void
    ) {
        self.visit.fetch(request) { result in
            switch result {
            case .success(let answer): answered(answer)
            case .failure(let problem): done(.failure(problem))
            }
        }
    }

    // MARK: - Before

    /// What was said before is answered as it was. All else must have somebody whom it concerns.
    private func check(_ done: @escaping Done, _ isRight: @escaping () -> Void) {
        guard let cid = self.request.cid else { return self.checkOverridden(done, isRight) }
        self.ask(FindNamedAnnouncement(cid, from: self.source, at: SystemClock.now()), done) { first in
            if let first { return self.repeated(first, done) }
            self.checkOverridden(done, isRight)
        }
    }

    private func checkOverridden(_ done: @escaping Done, _ isRight: @escaping () -> Void) {
        guard let number = self.request.options.overridden else { return self.find(done, isRight) }
        self.ask(FindAnnouncement(number), done) { old in
            guard let old, old.source == self.source,
                SystemClock.now() < old.created + MakeAnnouncement.memory
            else { return done(.failure(Self.nothingToOverride)) }
            self.find(done, isRight)
        }
    }

    private static let nothingToOverride = JPushProblem.wrong("'override_msg_id' names no push of the last day")

    private func find(after start: String = "", _ done: @escaping Done, _ found: @escaping () -> Void) {
        self.ask(FindPushAudience(self.request.audience, after: start, limit: Self.portion), done) { page in
            if page.recipients.contains(where: { self.request.concerns($0.device) }) { return found() }
            guard let next = page.next else {
                let problem = JPushProblem.nobody("no device is registered for this audience and these platforms")
                return done(.failure(problem))
            }
            self.find(after: next, done, found)
        }
    }
}
