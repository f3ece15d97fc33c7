internal import BinaryCoding
package import Calling
internal import Clustering
package import Operations
package import SocketServer
package import Vocabulary

/// A line whose client comes back on another node moves there. The move has its place in the order of all changes: what happens before it is
/// in the log that is handed over, what happens after it the new node keeps until the log is there.
extension Switchboard {
    /// Whether other nodes are there when this one has ended.
    package var hasOtherNodes: Bool { self.ledger?.othersGoOn ?? false }

    /// How many lines each node has.
    package var linesByNode: [RandomToken: Int] {
        var lines: [RandomToken: Int] = [:]
        if let node = self.ledger?.node { lines[node] = self.guests.count }
        for stranger in self.strangers.values where !stranger.isGone {
            if let node = stranger.node { lines[node, default: 0] += 1 }
        }
        return lines
    }

    /// Asks another node to end in an orderly way.
    package func drain(_ node: RandomToken) { self.ledger?.send(NodeLetter.drain, to: node) }

    /// Where a line is; nil for one of our own, and for one that is gone.
    package func node(of session: SessionID) -> RandomToken? {
        guard self.guests[session] == nil, let stranger = self.strangers[session], !stranger.isGone else { return nil }
        return stranger.node
    }

    /// Whether this was a line of the user on another node. Its seats wait for a while for somebody to take them.
    package func knows(_ session: SessionID, of user: UserID) -> Bool { self.strangers[session]?.user == user }

    package func ask(_ node: RandomToken, for key: ResumeKey) {
        guard let ledger = self.ledger else { return }
        ledger.send(NodeLetter.ask(key, by: ledger.node), to: node)
    }

    package func give(_ session: SessionID, _ place: [UInt8]?, to node: RandomToken) {
        self.ledger?.send(NodeLetter.place(session, place), to: node)
    }

    /// - Parameter handOver: called at the move's place with whether it could be made; from there on another node speaks for the line.
    package func move(_ guest: Guest, to node: RandomToken, _ handOver: @escaping (Bool) -> Void) {
        self.leaving[guest.session] = handOver
        self.submit(.moved(guest.line, to: node)) { [unowned self] result in
            if case .failure = result { self.leaving.removeValue(forKey: guest.session)?(false) }
        }
    }

    func moved(_ line: Line, to node: RandomToken) {
        if let guest = self.guests[line.session] {
            guard let handOver = self.leaving.removeValue(forKey: line.session) else { return }
            handOver(true)
            self.guests[line.session] = nil
            self.blocks.left(guest.user)
            self.presence.watchesNobody(line.session)
            self.strangers[line.session] = Stranger(guest, movedTo: node)
        } else if let known = self.strangers[line.session], !known.isGone {
            self.strangers[line.session] = Stranger(known, movedTo: node)
            if node == self.ledger?.node { self.coming[line.session] = [] }
            if known.wasSentTo, let old = known.node { self.flush(line.session, through: old) }
        }
    }

    /// A line whose log is here. What happened since then follows it.
    package func takeOver(
        _ line: Line, _ name: DisplayName, blocking blocked: [UserID], _ dialect: any Dialect, _ socket: Socket,
        _ device: DeviceID
    ) -> Guest {
        let guest = Guest(line, name, dialect, socket, device, self.settings, at: self.now)
        guest.rooms = self.strangers.removeValue(forKey: line.session)?.rooms ?? []
        (guest.isKnown, guest.avatar) = (true, self.names[line.user]?.avatar)
        self.guests[line.session] = guest
        self.blocks.entered(line.user, blocking: blocked)
        for notice in self.coming.removeValue(forKey: line.session) ?? [] { self.tell(notice, to: line.session) }
        return guest
    }

    /// Nobody came for the line that moved here.
    package func giveUp(_ session: SessionID) {
        guard self.coming.removeValue(forKey: session) != nil, let known = self.strangers[session] else { return }
        self.submit(.closed(Line(known.user, session), saidGoodbye: false))
    }

    /// For a line that is not here: kept if it is on its way.
    func keep(_ notice: Notice, for session: SessionID) { self.coming[session]?.append(notice) }

    /// Whom this user does not want to hear from, as far as it is known here.
    package func blocked(by user: UserID) -> [UserID] { self.blocks.blocked(by: user) }

    /// Whom the line watches, and whether they are online.
    package func watched(by guest: Guest) -> [UserID: Bool] {
        let users = self.presence.watched(by: guest.session)
        return Dictionary(uniqueKeysWithValues: users.map { ($0, self.presence.isOnline($0)) })
    }

    package func watchesEverybody(_ guest: Guest) -> Bool { self.presence.watchesEverybody(guest.session) }

    /// Goes on watching, and is told what has changed since.
    package func watchAgain(_ known: [UserID: Bool], everybody: Bool, by guest: Guest) throws(RequestError) {
        if everybody { try self.watchEverybody(by: guest) }
        for view in try self.watch(Array(known.keys), by: guest) where known[view.user] != view.isOnline {
            let name = view.name ?? DisplayName(of: view.user)
            let notice: Notice =
                view.isOnline
                ? .cameOnline(view.user, ProfileSummary(name, view.avatar))
                : .wentOffline(view.user, name, lastSeen: self.wallTime)
            self.tell(notice, to: guest.session)
        }
    }
}
