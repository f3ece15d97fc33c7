/// Something the store is asked for: a value that knows its statements. It is carried out on the store's own thread.
package protocol StoreRequest: Sendable {
    associatedtype Answer: Sendable

    /// Requests that write are committed together; those that only read need no commit.
    static var writes: Bool { get }

    /// Throwing takes back what this request has written, and nothing of the others.
    func perform(on connection: borrowing Connection) throws(StoreError) -> Answer
}
