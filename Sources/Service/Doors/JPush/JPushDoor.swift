internal import Conversing
internal import HTTPServer

/// Pushes by programs that were made for JPush's interface (`/v3/push` and what belongs to it).
struct JPushDoor: Door {
    static let name = "jpush"
    static let keptFields = KeptFields(members: [], idPrefixes: [])
    static let reservedUsers: [String] = []

    private let keys: JPushKeys
    private let desk = JPushDesk()

    init(_ settings: DoorSettings) { self.keys = settings.jpushKeys }

    /// Without a key there is no door.
    func addRoutes(to router: inout Router, _ site: DoorSite) {
        guard !self.keys.isEmpty else { return }
        JPushRoutes(site: site, keys: self.keys, desk: self.desk).add(to: &router)
    }

    func begin(_ dependencies: DoorDependencies) {
        guard !self.keys.isEmpty else { return }
        self.desk.begin(dependencies, self.keys)
    }
}
