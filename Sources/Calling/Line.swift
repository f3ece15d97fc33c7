package import Vocabulary

/// One connection of one user: whose it is, and which of theirs.
///
/// A user has as many lines as devices that are connected. A device that comes back with its old session has its old
/// line; otherwise it has a new one.
package struct Line: Hashable, Sendable {
    package let user: UserID
    package let session: SessionID

    package init(_ user: UserID, _ session: SessionID) {
        self.user = user
        self.session = session
    }
}
