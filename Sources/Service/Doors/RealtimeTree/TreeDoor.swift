internal import Conversing
internal import HTTPServer
internal import Identity
internal import Keeping
internal import RealtimeTree
internal import Vocabulary

/// Apps and programs made for Firebase's Realtime Database: a tree of values that all of them see change.
struct TreeDoor: Door {
    static let name = "realtime-tree"
    static let keptFields = KeptFields(members: [], idPrefixes: [TreeBridge.prefix])
    static let reservedUsers = [TreeBridge.server.text]

    private let settings: TreeSettings
    private let desk: TreeDesk

    init(_ settings: DoorSettings) {
        self.settings = settings.tree
        self.desk = TreeDesk(settings.tree)
    }

    func addRoutes(to router: inout Router, _ site: DoorSite) {
        let tokens = TreeTokens(site.secret, project: self.settings.project)
        let gate = TreeGate(
            accounts: site.accounts, tokens: tokens, isEmulator: self.settings.isEmulator,
            viewers: Set(self.settings.viewers))
        TreeSignIn(site: site, tokens: tokens, programs: self.settings.programs.accounts).add(to: &router)
        TreeRoutes(site: site, desk: self.desk, gate: gate).add(to: &router)
    }

    /// What is written into the chat comes into the tree.
    func makeEntryListener(_ dependencies: DoorDependencies) -> ((ChangeOutcome) -> Void)? {
        guard !self.settings.rooms.isEmpty else { return nil }
        let bridge = TreeBridge(self.settings.rooms, self.desk, dependencies)
        self.desk.bridge = bridge
        return { bridge.heard($0) }
    }

    func begin(_ dependencies: DoorDependencies) {
        self.desk.bridge?.begin()
        self.desk.begin(dependencies, rulesFile: self.settings.rulesFile)
    }
}
