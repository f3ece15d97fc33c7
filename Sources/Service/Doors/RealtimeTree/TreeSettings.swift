package import RealtimeTree
internal import Secure
package import Vocabulary

/// What the door of the tree is told before the start.
package struct TreeSettings: Hashable, Sendable {
    /// Who may read and write what: nobody, where nothing is said.
    package var rules = TreeRules.closed
    /// Where the rules are looked for again.
    package var rulesFile: String?
    /// Programs that act as administrators and vouch for users.
    package var programs = TreePrograms.none
    /// Whether everybody who says so is an administrator. Only where nobody else can connect.
    package var isEmulator = false
    /// What all values may take, keys included. They are in memory.
    package var maximumBytes = 256 << 20
    /// Places below which `messages` is a conversation, and `typingIndicator` says who is typing there.
    package var rooms: [TreePath] = []
    /// Users of the page who may look at everything there. They may write no more than others.
    package var viewers: [UserID] = []
    /// Of one address, and twice as many at once.
    package var writesPerSecond = 1000
    /// What tokens call this place.
    package var project = "parley"

    package init() {}

    /// Nil for what is no place of a conversation.
    package static func room(_ text: String) -> TreePath? {
        TreePath(text).flatMap { TreeBridge.conversation($0) == nil ? nil : $0 }
    }
}

/// Programs on other servers, each with a service account that we have the key of.
package struct TreePrograms: Hashable, Sendable {
    let accounts: [ServiceAccount]
    private let sources: [[UInt8]]

    package static let none = TreePrograms([], [])

    private init(_ accounts: [ServiceAccount], _ sources: [[UInt8]]) {
        self.accounts = accounts
        self.sources = sources
    }

    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter files: JSON as Google's console gives it out.
    package init(_ files: [[UInt8]]) throws(Fault) {
        var accounts: [ServiceAccount] = []
        for file in files {
            do throws(SecureError) { accounts.append(try ServiceAccount(parsing: file)) } catch {
                throw Fault(description: "\(error)")
            }
        }
        self.init(accounts, files)
    }

    package static func == (one: TreePrograms, other: TreePrograms) -> Bool { one.sources == other.sources }
    package func hash(into hasher: inout Hasher) { hasher.combine(self.sources) }
}
