package import Vocabulary

/// A connection on its way from one loop to another: an open socket that no loop watches.
package struct DetachedConnection: Sendable {
    let fd: Int32
    package let peer: SocketAddress
    let policy: Shared<WritePolicy>
    let isNewcomer: Bool
    let unsent: [UInt8]
}
