package import Vocabulary

/// What a door keeps for its programs beside conversations: a text under a name, in one of its books.
package struct DoorRecord: Hashable, Sendable {
    package struct Place: Hashable, Sendable {
        package let book: String
        package let name: String

        package init(_ book: String, _ name: String) {
            self.book = book
            self.name = name
        }
    }

    package let place: Place
    package var value: String
    /// When it was written.
    package var time: WallTime
    /// Whose it is: with their account it goes.
    package var user: UserID?

    package init(_ place: Place, _ value: String = "", of user: UserID? = nil, at time: WallTime) {
        self.place = place
        self.value = value
        self.user = user
        self.time = time
    }
}
