internal import Calling
internal import Conversing
internal import HTTPServer
internal import Identity
internal import Journal
internal import Reactor
internal import SocketServer
internal import Keeping
internal import Switchboard

/// A kind of client from elsewhere: how its sockets come in and what they say, its HTTP routes, and what only it may write.
/// Users and conversations behind it are the same for all clients. `docs/adding-a-door.md` tells how one is made.
protocol Door: Sendable {
    /// As `serve --doors` knows it.
    static var name: String { get }
    /// Kept also while the door is closed: what others wrote meanwhile would be believed once it is open.
    static var keptFields: KeptFields { get }

    /// How the ids of users begin in whose names only the server speaks: no application vouches for them.
    static var reservedUsers: [String] { get }

    init(_ settings: DoorSettings)

    /// Whether it hands out tokens for users whom its programs vouch for.
    var vouches: Bool { get }

    /// How its sockets are served over Engine.IO 3; nil when they do not need that.
    var legacyLink: LinkPolicy? { get }

    /// Called for the router of each loop.
    func addRoutes(to router: inout Router, _ site: DoorSite)
    /// Called once, on the loop of the sockets; nil when its clients have none.
    func makeEntrance(_ dependencies: DoorDependencies) -> (any Entrance)?
    /// Called once, on the loop of the sockets. What comes back is told of every entry that is on the disk.
    func makeEntryListener(_ dependencies: DoorDependencies) -> ((ChangeOutcome) -> Void)?
    /// Called once, on the loop of the sockets. What comes back has a say in what people say.
    func makeGate(_ dependencies: DoorDependencies) -> (any ChatGate)?
    /// Called once, on the loop of the sockets, before anybody comes: what the last run left undone goes on.
    func begin(_ dependencies: DoorDependencies)
}

extension Door {
    var vouches: Bool { false }
    var legacyLink: LinkPolicy? { nil }
    func makeEntrance(_ dependencies: DoorDependencies) -> (any Entrance)? { nil }
    func makeEntryListener(_ dependencies: DoorDependencies) -> ((ChangeOutcome) -> Void)? { nil }
    func makeGate(_ dependencies: DoorDependencies) -> (any ChatGate)? { nil }
    func begin(_ dependencies: DoorDependencies) {}
}

/// What the routes of a door work with, on any loop.
struct DoorSite: Sendable {
    let accounts: Accounts
    let files: FileService
    /// From which a door makes keys for what only it gives out.
    let secret: ServerSecret
    /// The loop of the sockets: requests about conversations and presence move there.
    let home: EventLoop
    /// What lives there; only to be called there.
    let atHome: @Sendable (Reactor) -> DoorDependencies

    /// False where the request moves to the home loop first, or to the node that does what only one does.
    func isHome(_ exchange: HTTPExchange) -> Bool {
        guard exchange.reactor.loop === self.home else {
            exchange.move(to: self.home)
            return false
        }
        return !self.atHome(exchange.reactor).passToDuty(exchange)
    }
}

/// What a door works with on the loop of the sockets.
struct DoorDependencies {
    let reactor: Reactor
    let accounts: Accounts
    let board: Switchboard
    let chat: ChatService
    let profiles: ProfileService
    let files: FileService
    let store: any Store
    /// What each user may still ask over HTTP.
    let allowance: APIAllowance
    let calls: CallSettings
    /// About which words something is done.
    let words: WordKeeper
    /// Nil where no device is woken.
    let push: PushSender?
    let errands: Errands
    /// Has the node answer that does what only one does. False where that is this one.
    let passToDuty: (HTTPExchange) -> Bool
    let journal: Journal
}
