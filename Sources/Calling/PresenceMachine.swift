internal import BinaryCoding
package import Bytes
package import Vocabulary

/// Who is online, and who wants to know.
///
///     user   offline ──first line up──▶ online ──last line down──▶ lingering ──time is over──▶ offline
///                                         ▲                           │
///                                         └───────── line up ─────────┘
///
/// A change costs as much as there are lines that watch this user; a user without watchers costs nothing.
/// Users who are offline and unwatched are not remembered: how long ago they were seen is for a store to know.
package struct PresenceMachine: Sendable {
    private enum State: Sendable {
        /// Can become: online, lingering, gone.
        case online(lines: [SessionID])
        /// Shown as online, without a line. Can become: online, gone.
        case lingering(lastSeen: Instant)
    }

    package let settings: PresenceSettings
    private var users: [UserID: State] = [:]
    /// The users that a line watches. Lines without any have no entry.
    private var watchedBy: [SessionID: Set<UserID>] = [:]
    /// The lines that watch a user.
    private var watchersOf: [UserID: Set<SessionID>] = [:]
    /// Lines that watch all users.
    private var watchersOfAll: Set<SessionID> = []
    private var lingering = Deadlines<UserID>()

    package init(settings: PresenceSettings = PresenceSettings()) {
        self.settings = settings
    }

    /// When to call `clockAdvanced`, if time is all that happens.
    package var deadline: Instant? { self.lingering.next }
    package var onlineCount: Int { self.users.count }
    package var online: some Sequence<UserID> { self.users.keys }

    package func isOnline(_ user: UserID) -> Bool { self.users[user] != nil }

    /// The lines of a user that are up, in the order they came: the devices a call rings.
    package func lines(of user: UserID) -> [SessionID] {
        switch self.users[user] {
        case .online(let lines): lines
        case .lingering, .none: []
        }
    }

    /// Who has to be told when this user comes or goes: each line once.
    package func watchers(of user: UserID) -> Set<SessionID> {
        let own = self.watchersOf[user] ?? []
        return self.watchersOfAll.isEmpty ? own : own.union(self.watchersOfAll)
    }

    // MARK: Lines

    /// A line came up. Said twice it counts once.
    package mutating func lineOpened(_ line: Line, into outbox: inout PresenceOutbox) {
        switch self.users[line.user] {
        case .none:
            self.users[line.user] = .online(lines: [line.session])
            outbox.append(.cameOnline(line.user))
        case .lingering:
            self.users[line.user] = .online(lines: [line.session])
            self.lingering.set(nil, for: line.user)
        case .online(let lines):
            if !lines.contains(line.session) { self.users[line.user] = .online(lines: lines + [line.session]) }
        }
    }

    /// A line is gone, and with it all it wanted to know.
    package mutating func lineClosed(_ line: Line, at now: Instant, into outbox: inout PresenceOutbox) {
        self.lineLost(line, at: now, into: &outbox)
        self.watchesNobody(line.session)
    }

    /// A line broke and may be back. What it wants to know it still wants to know.
    package mutating func lineLost(_ line: Line, at now: Instant, into outbox: inout PresenceOutbox) {
        guard case .online(var lines) = self.users[line.user], let index = lines.firstIndex(of: line.session) else {
            return
        }
        lines.remove(at: index)
        guard lines.isEmpty else { return self.users[line.user] = .online(lines: lines) }
        guard self.settings.linger > .zero else { return self.offline(line.user, lastSeen: now, into: &outbox) }
        self.users[line.user] = .lingering(lastSeen: now)
        self.lingering.set(now + self.settings.linger, for: line.user)
    }

    package mutating func clockAdvanced(to now: Instant, into outbox: inout PresenceOutbox) {
        while let user = self.lingering.popDue(at: now) {
            guard case .lingering(let lastSeen) = self.users[user] else { continue }
            self.offline(user, lastSeen: lastSeen, into: &outbox)
        }
    }

    // MARK: Watching

    /// A line wants to hear of these users from now on, until it is closed. How they are now is what `isOnline` says in the same
    /// breath.
    package mutating func watched(_ users: some Collection<UserID>, by session: SessionID) throws(PresenceRefusal) {
        let watched = self.watched(by: session)
        let fresh = Set(users).subtracting(watched)
        guard watched.count + fresh.count <= self.settings.maximumWatchedPerLine else { throw .tooManyWatched }
        if !fresh.isEmpty { self.watchedBy[session, default: []].formUnion(fresh) }
        for user in fresh { self.watchersOf[user, default: []].insert(session) }
    }

    package func watched(by session: SessionID) -> Set<UserID> { self.watchedBy[session] ?? [] }
    package func watchesEverybody(_ session: SessionID) -> Bool { self.watchersOfAll.contains(session) }

    /// The line is gone, or watches from another node now.
    package mutating func watchesNobody(_ session: SessionID) {
        self.watchersOfAll.remove(session)
        for user in self.watchedBy.removeValue(forKey: session) ?? [] { self.forget(session, of: user) }
    }

    package mutating func unwatched(_ users: some Collection<UserID>, by session: SessionID) {
        for user in users where self.watchedBy[session]?.remove(user) != nil { self.forget(session, of: user) }
        if self.watchedBy[session]?.isEmpty == true { self.watchedBy[session] = nil }
    }

    /// A line watches all users, or no longer does. It costs with every user, so it is for small houses.
    package mutating func watchedEverybody(_ isWanted: Bool, by session: SessionID) {
        if isWanted {
            self.watchersOfAll.insert(session)
        } else {
            self.watchersOfAll.remove(session)
        }
    }

    private mutating func offline(_ user: UserID, lastSeen: Instant, into outbox: inout PresenceOutbox) {
        self.users[user] = nil
        outbox.append(.wentOffline(user, lastSeen: lastSeen))
    }

    private mutating func forget(_ session: SessionID, of user: UserID) {
        self.watchersOf[user]?.remove(session)
        if self.watchersOf[user]?.isEmpty == true { self.watchersOf[user] = nil }
    }
}

// MARK: - Over nodes

extension PresenceMachine {
    /// Who is online, as another node takes it over; who wants to know is for each node itself to know.
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.users.count)
        for (user, state) in self.users {
            bytes.put(user)
            switch state {
            case .online(let lines):
                bytes.put(lines)
                bytes.put(nil as Instant?)
            case .lingering(let lastSeen):
                bytes.put([] as [SessionID])
                bytes.put(lastSeen as Instant?)
            }
        }
    }

    /// Takes over who is online. Whoever watches one who came or went meanwhile is told so.
    package mutating func adopt(from bytes: inout ByteReader, into outbox: inout PresenceOutbox) throws(ByteError) {
        var users: [UserID: State] = [:]
        let count: Int = try bytes.take()
        for _ in 0..<max(0, count) {
            let user: UserID = try bytes.take()
            let lines: [SessionID] = try bytes.take()
            let lastSeen: Instant? = try bytes.take()
            users[user] = lastSeen.map { .lingering(lastSeen: $0) } ?? .online(lines: lines)
        }
        self.replace(with: users, into: &outbox)
    }

    private mutating func replace(with users: [UserID: State], into outbox: inout PresenceOutbox) {
        let before = self.users
        self.users = users
        self.lingering = Deadlines()
        for (user, state) in users {
            if before[user] == nil { outbox.append(.cameOnline(user)) }
            guard case .lingering(let lastSeen) = state else { continue }
            self.lingering.set(lastSeen + self.settings.linger, for: user)
        }
        for user in before.keys where users[user] == nil {
            outbox.append(.wentOffline(user, lastSeen: Instant(nanoseconds: 0)))
        }
    }
}
