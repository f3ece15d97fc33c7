internal import Conversing
internal import HTTPServer
internal import Identity
internal import RealtimeTree

/// Apps and programs made for Firebase's Realtime Database: a tree of values that all of them see change.
struct TreeDoor: Door {
    static let name = "realtime-tree"
    static let keptFields = KeptFields(members: [], idPrefixes: [])
    static let reservedUsers: [String] = []

    private let settings: TreeSettings
    private let desk: TreeDesk

    init(_ settings: DoorSettings) {
        self.settings = settings.tree
        self.desk = TreeDesk(settings.tree.rules, maximumBytes: settings.tree.maximumBytes)
    }

    func addRoutes(to router: inout Router, _ site: DoorSite) {
        let tokens = TreeTokens(site.secret, project: self.settings.project)
        let gate = TreeGate(accounts: site.accounts, tokens: tokens, isEmulator: self.settings.isEmulator)
        TreeSignIn(site: site, tokens: tokens, programs: self.settings.programs.accounts).add(to: &router)
        TreeRoutes(site: site, desk: self.desk, gate: gate).add(to: &router)
    }

    func begin(_ dependencies: DoorDependencies) { self.desk.begin(dependencies) }
}
