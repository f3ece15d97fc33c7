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

    struct Node {
        let name: RandomToken
        /// Where others pass requests on to.
        let address: String?
        let connections: Int
        let isThis: Bool
        /// Whether it has its part in presence, rooms and calls.
        let isShared: Bool
    }

    let people: [Person]
    let rooms: [Room]
    let nodes: [Node]
}
