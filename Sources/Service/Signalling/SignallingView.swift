internal import Vocabulary

/// Who is there and where, as of now.
struct SignallingView {
    struct Person {
        let user: UserID
        let name: DisplayName
        let connections: Int
    }

    struct Room {
        let name: RoomName
        let members: Int
        /// Nil where anybody may come in.
        let access: String?
    }

    let people: [Person]
    let rooms: [Room]
}
