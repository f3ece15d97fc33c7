import Arguments
import Vocabulary

/// Whom a call is for: `@` and a user's id or name, or else a room.
enum CallTarget: Hashable, Sendable, ExpressibleByArgument {
    case user(String)
    case room(RoomName)

    init?(argument: String) {
        if argument.hasPrefix("@") {
            let name = String(argument.dropFirst())
            guard PersonSearch.isName(name) else { return nil }
            self = .user(name)
        } else {
            guard let room = RoomName(argument) else { return nil }
            self = .room(room)
        }
    }

    static var valueName: String? { "@NAME|ROOM" }
    static var expectation: String { "@ and a person's name or id, or the name of a room" }
    var argumentDescription: String {
        switch self {
        case .user(let name): "@\(name)"
        case .room(let room): room.text
        }
    }
}
