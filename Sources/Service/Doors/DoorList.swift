package import Client
internal import Conversing
internal import SocketServer

/// Which of the doors there are is open.
package struct DoorList: Hashable, Sendable {
    package let names: [String]

    static let known: [any Door.Type] = [
        FLDoor.self, OrderChatDoor.self, JPushDoor.self, RongCloudDoor.self, TreeDoor.self,
    ]

    package static let none = DoorList(names: [])
    package static let all = DoorList(names: Self.known.map { $0.name })
    /// Where nothing is said.
    package static let byDefault = Self.none

    private init(names: [String]) { self.names = names }

    /// - Parameter text: names with commas between them, `all` or `none`.
    package init?(_ text: String) {
        switch text {
        case "all": self = .all
        case "none": self = .none
        default:
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
            guard names.allSatisfy(Self.all.names.contains), Set(names).count == names.count else { return nil }
            self.names = names
        }
    }

    /// Of all doors, open or not.
    static var reservedUsers: [String] { Self.known.flatMap { $0.reservedUsers } }

    /// Of all doors, open or not.
    static var keptFields: KeptFields { Self.known.reduce(KeptFields()) { $0.joined(with: $1.keptFields) } }
}

/// What the doors are told before the service starts.
package struct DoorSettings: Hashable, Sendable {
    package var open = DoorList.byDefault
    /// Old apps are told who there is without a token (`GET /allUsers`): some of them do not send one.
    package var listsUsersPublicly = false
    /// What is said automatically in the chats of orders.
    package var orderReplies: [OrderReply] = []

    /// Which programs may push by JPush's interface.
    package var jpushKeys = JPushKeys.none
    /// Which programs may call RongCloud's Server API.
    package var rongCloudKeys = RongCloudKeys.none
    /// Which of them is told what people say.
    package var rongCloudCallback: HTTPURL?
    package var tree = TreeSettings()

    package init() {}

    /// Engine.IO 3 is spoken where a door's clients need it.
    var legacyLink: LinkPolicy? { self.makeDoors().lazy.compactMap { $0.legacyLink }.first }

    /// Whether one of the open doors hands out tokens.
    var vouches: Bool { self.makeDoors().contains { $0.vouches } }

    func makeDoors() -> [any Door] {
        DoorList.known.filter { self.open.names.contains($0.name) }.map { $0.init(self) }
    }
}
