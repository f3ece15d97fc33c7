internal import Client
internal import Conversing
internal import HTTPServer
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// Programs on other servers that speak RongCloud's Server API (`/user/getToken.json` and what belongs to it).
struct RongCloudDoor: Door {
    static let name = "rongcloud"
    static let keptFields = KeptFields(members: [RongCloudMessage.member], idPrefixes: RongCloudPlace.prefixes)
    static let reservedUsers = [RongCloudPlace.server.text]

    private let keys: RongCloudKeys
    private let callback: HTTPURL?
    private let desk = RongCloudDesk()

    init(_ settings: DoorSettings) {
        self.keys = settings.rongCloudKeys
        self.callback = settings.rongCloudCallback
    }

    var vouches: Bool { !self.keys.isEmpty }

    /// Without a key there is no door.
    func addRoutes(to router: inout Router, _ site: DoorSite) {
        guard !self.keys.isEmpty else { return }
        RongCloudRoutes(site: site, keys: self.keys, desk: self.desk).add(to: &router)
    }

    func makeGate(_ dependencies: DoorDependencies) -> (any ChatGate)? {
        self.keys.isEmpty ? nil : RongCloudGate(dependencies.chat)
    }

    func makeEntryListener(_ dependencies: DoorDependencies) -> ((ChangeOutcome) -> Void)? {
        guard !self.keys.isEmpty else { return nil }
        let (entries, arrivals) = (RongCloudEntryKeeper(dependencies.chat), RongCloudArrivals(dependencies.chat))
        let (key, secret) = (self.keys.first, self.keys.secret(of: self.keys.first) ?? "")
        let callbacks = self.callback.map { RongCloudCallbacks($0, key: key, secret: secret, dependencies) }
        return { outcome in
            entries.heard(outcome)
            arrivals.heard(outcome)
            callbacks?.heard(outcome)
        }
    }

    func begin(_ dependencies: DoorDependencies) {
        guard !self.keys.isEmpty else { return }
        let broadcaster = RongCloudBroadcaster(dependencies)
        dependencies.errands.add(begin: { broadcaster.resume() }, call: { broadcaster.resume() })
    }
}
