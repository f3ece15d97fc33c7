internal import Conversing
internal import HTTPServer
internal import Vocabulary

/// Programs on other servers that speak RongCloud's Server API (`/user/getToken.json` and what belongs to it).
struct RongCloudDoor: Door {
    static let name = "rongcloud"
    static let keptFields = KeptFields(members: [RongCloudMessage.member], idPrefixes: RongCloudPlace.prefixes)
    static let reservedUsers = [RongCloudPlace.server.text]

    private let keys: RongCloudKeys
    private let desk = RongCloudDesk()

    init(_ settings: DoorSettings) { self.keys = settings.rongCloudKeys }

    var vouches: Bool { !self.keys.isEmpty }

    /// Without a key there is no door.
    func addRoutes(to router: inout Router, _ site: DoorSite) {
        guard !self.keys.isEmpty else { return }
        RongCloudRoutes(site: site, keys: self.keys, desk: self.desk).add(to: &router)
    }
}
