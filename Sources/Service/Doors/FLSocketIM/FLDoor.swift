internal import Conversing
internal import HTTPServer
internal import System
internal import Reactor
internal import Sessions
internal import SocketServer

/// The apps made for FLSocketIM: Socket.IO 1 and 2, a long-lived token in the query, routes of their own for accounts and files.
struct FLDoor: Door {
    static let name = "flsocketim"
    /// What their long-lived token is called, in a query or a cookie.
    static let token = "auth_token"
    static let keptFields = KeptFields(members: [FLMessage.member], idPrefixes: [FLChat.groupPrefix])

    static let reservedUsers = [StrangerBook.ownerPrefix]

    private let strangers = Locked(StrangerBook())

    private let listsPublicly: Bool

    init(_ settings: DoorSettings) { self.listsPublicly = settings.listsUsersPublicly }

    /// A photo or a recording that comes as bytes within an event.
    private static let maximumFileBytes = 20 << 20

    /// The apps lose their patience soon. They send pictures as they are, also in the Base64 of a polling body, which is a
    /// third more; what they say in text is as small as it was. Their client for iOS does not say its version.
    var legacyLink: LinkPolicy? {
        let maximumBody = Self.maximumFileBytes / 3 * 4 + 65_536
        var policy = LinkPolicy.legacy(
            EngineSettings(pingInterval: .seconds(5), pingTimeout: .seconds(3), maxPayload: maximumBody))
        policy.maximumTextBytes = 2_000_000
        policy.impliedBy = [Self.token, "b64"]
        policy.credential = Self.token
        return policy
    }

    func addRoutes(to router: inout Router, _ site: DoorSite) {
        FLFiles(desk: site.files, strangers: self.strangers).add(to: &router)
        FLRoutes(site: site, listsPublicly: self.listsPublicly).add(to: &router)
    }

    func makeEntrance(_ dependencies: DoorDependencies) -> (any Entrance)? { FLEntrance(dependencies) }
}
