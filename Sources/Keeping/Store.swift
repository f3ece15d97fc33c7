package import Conversing
package import Vocabulary

/// Where everything is kept that outlasts the program. There is one way in: a request, which is a value, and its answer.
///
/// `send` comes back at once. The answer comes later, on a thread of the store's, and says only what is safe: committed
/// first, answered then; only `writesBehind` may be answered earlier. Answers come in the order of the commits, so a
/// subscriber that listens from an answer on misses nothing.
/// What one user asks is done in its order; between users there are turns, so that much of one does not hold up the others.
package protocol Store: Sendable {
    func send<Request: StoreRequest>(
        _ request: Request, _ answer: @escaping @Sendable (Result<Request.Answer, StoreError>) -> Void)

    /// Waits until all that was asked before is safe. Never call it from a loop.
    func close()
}

/// Something a store is asked for: a plain value, and what it comes to over the rows of whichever engine.
///
/// An operation is deterministic: it knows nothing but its request, the rows it asks for, and the engine's settings. So an
/// engine may carry it out a second time on rows that have changed, and only the last time counts.
package protocol StoreRequest: Sendable {
    associatedtype Answer: Sendable

    static var access: StoreAccess { get }
    /// May read so much that a user's next one waits until it is answered.
    static var isHeavy: Bool { get }
    /// The user who asks; requests of different users take turns. Nil for what the server asks itself.
    var asker: UserID? { get }

    /// Throwing takes back what was written.
    func perform(on tables: some Tables) throws(StoreError) -> Answer
}

extension StoreRequest {
    package static var isHeavy: Bool { false }
    package var asker: UserID? { nil }
}

/// What a request does to the rows, and with whom it can be carried out.
package enum StoreAccess: Hashable, Sendable {
    /// Reads in its turn among the writers, so that its answer has a place among theirs.
    case reads
    /// Reads what was committed so far, beside the writers, without waiting for a turn.
    case readsCommitted
    /// Writes. When it fails, it alone is taken back.
    case writes
    /// Writes, and fails only where nothing works any more: then its whole group may be taken back, which saves an engine
    /// a savepoint.
    case writesWithGroup
    /// Writes like `writesWithGroup`, but an engine may answer before it commits (write-behind). For what may be lost in a
    /// crash, because it will be repeated.
    case writesBehind

    package var writes: Bool { self == .writes || self == .writesWithGroup || self == .writesBehind }
    package var usesReader: Bool { self == .readsCommitted }
    package var rollsBackAlone: Bool { self == .writes }
}

/// What was asked for, or why it is not granted.
package typealias Verdict<Value> = Result<Value, ConversationRefusal>
