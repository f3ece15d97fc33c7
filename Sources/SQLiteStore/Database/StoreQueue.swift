internal import System
internal import Vocabulary

/// What waits for a thread of the store: one of each user in turn, and everything else as it came.
struct StoreQueue: Sendable {
    private enum Sender: Hashable, Sendable {
        case user(UserID)
        /// What nobody in particular asked for has a turn of its own, and waits for no other of its like.
        case other(UInt64)
    }

    private let mailbox: FairMailbox<Sender, StoreJob>
    private let others = Locked<UInt64>(0)

    enum Refusal: Error { case full, closed }

    /// So many of one user may wait; more than their clients may ask in a second.
    private static let maximumOfUser = 1000

    init(limit: Int) { self.mailbox = FairMailbox(limit: limit, ofSender: Self.maximumOfUser) }

    func post(_ job: StoreJob, from asker: UserID?) throws(Refusal) {
        do throws(FairMailbox<Sender, StoreJob>.Refusal) {
            try self.mailbox.post(job, from: asker.map { .user($0) } ?? self.nextOther())
        } catch {
            throw error == .full ? .full : .closed
        }
    }

    private func nextOther() -> Sender {
        self.others.withLock { number in
            number += 1
            return .other(number)
        }
    }

    func take() -> StoreJob? { self.mailbox.take() }

    func take(upTo limit: Int) -> [StoreJob]? { self.mailbox.take(upTo: limit) }

    func close() { self.mailbox.close() }
}
