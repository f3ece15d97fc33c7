internal import Identity
internal import JSON
internal import RealtimeTree
internal import Vocabulary

/// As whom a client reads and writes.
struct TreeAccess {
    /// Whether no rules are asked.
    let isAdministrator: Bool
    /// What rules know as `auth`: nothing for those who are not signed in.
    let auth: TreeNode
    /// What came from the chat is not told there again.
    var isChat = false
    /// Signed in to this server itself, and not by way of this door.
    var isOfPage = false
    /// When it ends; nil for never.
    var expiry: WallTime?
    /// Who it is here; nil for those who are no users.
    var identity: Identity?

    static let nobody = TreeAccess(isAdministrator: false, auth: .nothing)
    static let administrator = TreeAccess(isAdministrator: true, auth: .nothing)

    /// What somebody is who can see the claims of a sign-in.
    static func someone(_ auth: TreeNode) -> TreeAccess { TreeAccess(isAdministrator: false, auth: auth) }

    /// False when they were banned, deleted or signed out since.
    func isGood(_ accounts: Accounts) -> Bool {
        self.identity.map { (try? accounts.check($0)) != nil } ?? true
    }

    /// Kept with what is written when a connection ends.
    var json: [UInt8] {
        if self.isAdministrator { return Array("true".utf8) }
        return self.auth.isNothing ? [] : JSONWriter.bytes { $0.tree(self.auth, .export) }
    }

    init(isAdministrator: Bool, auth: TreeNode) {
        self.isAdministrator = isAdministrator
        self.auth = auth
    }

    /// Of what was kept.
    init(json: [UInt8]) {
        if json == Array("true".utf8) {
            self = .administrator
        } else {
            self = .someone((try? TreeParser.parse(json.span)) ?? .nothing)
        }
    }
}
