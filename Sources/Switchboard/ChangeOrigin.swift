/// Whose change is carried out.
package enum ChangeOrigin: Hashable, Sendable {
    /// This node's, and there is no other.
    case alone
    /// This node's: what is done once for all nodes is done here.
    case here
    /// Another node's.
    case elsewhere
    /// It was carried out by others before, and this node learns how everything stands.
    case past

    /// Whether this node does what is done once for all.
    package var isOurs: Bool { self == .alone || self == .here }
}
