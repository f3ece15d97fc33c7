internal import Keeping
internal import Pacing
internal import Reactor
internal import Vocabulary

/// A row that the engine has numbered before it was committed.
protocol NumberedRow: Sendable {
    var number: Int64 { get }
}

/// Looks again for rows that other nodes commit behind larger numbers, which were taken already, until it is certain that
/// none comes any more.
final class LateRows<Request: StoreRequest, Row: NumberedRow> where Request.Answer == [Row] {
    /// Called with what was found when it was time to look again.
    var onFound: ([Row]) -> Void = { _ in }
    var onFailure: (StoreError) -> Void = { _ in }

    private let store: any Store
    private let reactor: Reactor
    private let request: (RangeSet<Int64>) -> Request
    private var numbers = LateNumbers()
    private var timer: TimerToken?
    /// Answers to what was asked before it are of no use.
    private var run = 0

    private let interval = Duration.milliseconds(250)

    /// - Parameter request: asks for the rows with these numbers.
    init(_ store: any Store, on reactor: Reactor, _ request: @escaping (RangeSet<Int64>) -> Request) {
        self.store = store
        self.reactor = reactor
        self.request = request
    }

    var isEmpty: Bool { self.numbers.isEmpty }

    func forgetAll() {
        self.run += 1
        self.numbers = LateNumbers()
    }

    /// - Parameter last: the number taken before them; 0 for none.
    func took(_ rows: [Row], after last: Int64) {
        self.numbers.took(rows.map(\.number), after: last, at: self.reactor.instant)
        self.lookLater()
    }

    private func lookLater() {
        guard self.timer == nil, !self.isEmpty else { return }
        self.timer = self.reactor.schedule(after: self.interval) { [weak self] in
            guard let self else { return }
            self.timer = nil
            self.look { [weak self] found in
                if let found { self?.onFound(found) }
                self?.lookLater()
            }
        }
    }

    /// What is there by now; nil when that could not be read.
    func look(_ completion: @escaping ([Row]?) -> Void) {
        guard !self.isEmpty else { return completion([]) }
        self.store.send(
            ReadWithSnapshot(self.request(self.numbers.wanted)),
            self.reactor.returning { [weak self, run, begun = self.reactor.instant] result in
                guard let self, run == self.run else { return }
                completion(self.found(result, askedAt: begun))
            })
    }

    private func found(_ result: Result<ReadWithSnapshot<Request>.Answer, StoreError>, askedAt begun: Instant) -> [Row]?
    {
        switch result {
        case .success(let answer):
            let rows = answer.found.filter { self.numbers.found($0.number) }
            self.numbers.looked(oldestOpen: answer.snapshot.oldestOpen, next: answer.snapshot.next, at: begun)
            return rows
        case .failure(let error):
            self.onFailure(error)
            return nil
        }
    }
}

extension Delivery: NumberedRow {}
extension PendingPush: NumberedRow {}
