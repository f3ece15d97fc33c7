/// Something the store is asked for: a value that knows its statements. It is carried out on the store's own thread.
package protocol StoreRequest: Sendable {
    associatedtype Answer: Sendable

    /// Requests that write are committed together; those that only read need no commit.
    static var writes: Bool { get }

    /// Whether a failure takes back this request alone. Where nothing but the disk can fail it may take its whole group
    /// along, which saves SQLite a copy of every page that is touched.
    static var failsAlone: Bool { get }

    /// Whether it may look at what was committed so far beside the others, without waiting for its turn. What has to keep
    /// its place among the writers must not.
    static var looksAside: Bool { get }

    /// Throwing takes back what this request has written, and nothing of the others.
    func perform(on connection: borrowing Connection) throws(StoreError) -> Answer
}

extension StoreRequest {
    package static var failsAlone: Bool { true }
    package static var looksAside: Bool { false }
}
