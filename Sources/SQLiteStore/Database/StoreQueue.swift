internal import Journal
internal import Keeping
internal import System
internal import Vocabulary

/// What waits for a thread of the store.
struct StoreQueue: Sendable {
    struct Entry: Sendable {
        let job: StoreJob
        let asker: UserID?
    }

    private let mailbox: Mailbox<Entry>
    /// The database, for messages.
    private let file: String
    /// How many wait, here and in the order of turns.
    private let level: Gauge?

    init(limit: Int, of file: String, _ level: Gauge? = nil) {
        self.mailbox = Mailbox(limit: limit)
        self.file = file
        self.level = level
    }

    func post(_ job: StoreJob, from asker: UserID?) throws(Mailbox<Entry>.Refusal) {
        try self.mailbox.post(Entry(job: job, asker: asker))
        self.level?.increment()
    }

    func close() { self.mailbox.close() }

    /// For the thread that takes it.
    func makeTurns() -> StoreTurns { StoreTurns(self.mailbox, self.file, self.level) }
}

/// The order in which a thread of the store takes what waits: everything as it came where one group takes it all; else one
/// of each user in turn. It lives on that thread, so turns cost nobody else anything.
struct StoreTurns {
    private enum Sender: Hashable, Sendable {
        case user(UserID)
        /// What nobody in particular asked for has a turn of its own, and waits for no other of its like.
        case other(UInt64)
    }

    private let mailbox: Mailbox<StoreQueue.Entry>
    private let file: String
    private let level: Gauge?
    private var waiting = FairQueue<Sender, StoreJob>()
    private var others: UInt64 = 0

    /// So many of one user may wait; more than their clients may ask in a second.
    private static let maximumOfUser = 1000

    init(_ mailbox: Mailbox<StoreQueue.Entry>, _ file: String, _ level: Gauge?) {
        self.mailbox = mailbox
        self.file = file
        self.level = level
    }

    /// The next jobs, at most so many. Waits when there are none; nil when none will ever come.
    ///
    /// - Parameter timeout: after which none are returned; nil waits as long as it takes.
    mutating func take(upTo limit: Int, timeout: Duration? = nil) -> [StoreJob]? {
        let taken = self.next(upTo: limit, timeout: timeout)
        self.level?.decrement(by: taken?.count ?? 0)
        return taken
    }

    private mutating func next(upTo limit: Int, timeout: Duration?) -> [StoreJob]? {
        while self.waiting.isEmpty {
            guard let came = self.mailbox.takeAll(timeout: timeout) else { return nil }
            if came.count <= limit { return came.map(\.job) }
            self.sort(came)
        }
        self.sort(self.mailbox.takeWaiting())
        return self.waiting.take(upTo: limit)
    }

    private mutating func sort(_ came: [StoreQueue.Entry]) {
        for entry in came {
            let sender = entry.asker.map { Sender.user($0) } ?? self.nextOther()
            guard self.waiting.count(of: sender) < Self.maximumOfUser else {
                self.level?.decrement()
                entry.job.refuse(StoreError(.overloaded, database: self.file, detail: "too much of one user waits"))
                continue
            }
            self.waiting.append(entry.job, from: sender)
        }
    }

    private mutating func nextOther() -> Sender {
        self.others += 1
        return .other(self.others)
    }
}
