internal import Bytes
internal import STUN
package import Vocabulary

/// Finds the agent a packet is for, where many share one UDP socket.
///
/// Their checks name the agent in the user name, the answers to its own checks carry its tag in the transaction, and
/// everything else comes from an address that proved before to be its peer's. Two agents whose peers share one address
/// cannot share a socket, too: what is neither a check nor an answer goes to the one that proved it last.
package struct ICEDemultiplexer: Sendable {
    /// The owner of the socket numbers the agents.
    package typealias Key = Int

    private struct Names: Sendable {
        var fragments: [String]
        let tag: UInt32
        /// The oldest first.
        var addresses: [SocketAddress] = []
    }

    private var byFragment: [String: Key] = [:]
    private var byTag: [UInt32: Key] = [:]
    private var byAddress: [SocketAddress: Key] = [:]
    private var names: [Key: Names] = [:]

    /// More than an agent has remote candidates. Beyond it the oldest is dropped.
    private static let maximumAddresses = 64

    package init() {}

    package var count: Int { self.names.count }

    /// False when another agent has the same name or tag: draw again.
    package mutating func add(_ key: Key, usernameFragment: String, transactionTag: UInt32) -> Bool {
        guard self.byFragment[usernameFragment] == nil, self.byTag[transactionTag] == nil, self.names[key] == nil else {
            return false
        }
        self.byFragment[usernameFragment] = key
        self.byTag[transactionTag] = key
        self.names[key] = Names(fragments: [usernameFragment], tag: transactionTag)
        return true
    }

    /// One more name after a restart; the old one stays for a while, for packets under way.
    package mutating func restarted(_ key: Key, usernameFragment: String) -> Bool {
        guard self.names[key] != nil, self.byFragment[usernameFragment] == nil else { return false }
        self.byFragment[usernameFragment] = key
        self.names[key]?.fragments.append(usernameFragment)
        while let fragments = self.names[key]?.fragments, fragments.count > 2 {
            self.byFragment[fragments[0]] = nil
            self.names[key]?.fragments.removeFirst()
        }
        return true
    }

    package mutating func remove(_ key: Key) {
        guard let names = self.names.removeValue(forKey: key) else { return }
        for fragment in names.fragments { self.byFragment[fragment] = nil }
        self.byTag[names.tag] = nil
        for address in names.addresses where self.byAddress[address] == key { self.byAddress[address] = nil }
    }

    /// Whose packet this is, as far as it says so itself or its address does.
    package func route(_ packet: Span<UInt8>, from address: SocketAddress) -> Key? {
        guard STUNMessage.isPlausible(packet), let message = try? STUNMessage(parsing: packet) else {
            return self.byAddress[address.unmappingIPv4]
        }
        switch message.type.class {
        case .request: return self.fragment(of: message).flatMap { self.byFragment[$0] }
        case .success, .error: return self.byTag[message.transaction.high]
        case .indication: return self.byAddress[address.unmappingIPv4]
        }
    }

    /// Who proved that address last.
    package func holder(of address: SocketAddress) -> Key? { self.byAddress[address.unmappingIPv4] }

    /// The agent took a check or an answer from there for genuine (`ICEReceipt.handled`).
    package mutating func proved(_ address: SocketAddress, for key: Key) {
        let address = address.unmappingIPv4
        guard self.names[key] != nil, self.byAddress[address] != key else { return }
        self.byAddress[address] = key
        self.names[key]?.addresses.append(address)
        guard let addresses = self.names[key]?.addresses, addresses.count > Self.maximumAddresses else { return }
        if self.byAddress[addresses[0]] == key { self.byAddress[addresses[0]] = nil }
        self.names[key]?.addresses.removeFirst()
    }

    /// What stands before the colon. Ours are short enough to cost no memory.
    private func fragment(of message: STUNMessage) -> String? {
        guard let username = message.value(of: .username), username.count <= 513 else { return nil }
        var end = 0
        while end < username.count, username[end] != UInt8(ascii: ":") { end += 1 }
        guard end < username.count else { return nil }
        return String(utf8: username.extracting(0..<end))
    }
}
