internal import Calling
package import Operations
package import Vocabulary

/// The presence of a user, for a client that asked.
package struct PresenceView: Hashable, Sendable {
    package let user: UserID
    package let name: DisplayName?
    package let avatar: AvatarLink?
    package let isOnline: Bool
}

extension Switchboard {
    /// From now on the line hears of these users; how they are now is the answer.
    package func watch(_ users: [UserID], by guest: Guest) throws(RequestError) -> [PresenceView] {
        try self.checkIsHere(guest)
        do throws(PresenceRefusal) {
            try self.presence.watched(users, by: guest.session)
        } catch {
            let most = self.settings.presence.maximumWatchedPerLine
            throw RequestError(.tooManyWatched, "one line watches at most \(most) users")
        }
        return users.map { self.view(of: $0) }
    }

    package func watchEverybody(by guest: Guest) throws(RequestError) {
        try self.checkIsHere(guest)
        self.presence.watchedEverybody(true, by: guest.session)
    }

    package var onlineCount: Int { self.presence.onlineCount }

    /// All users who are online; empty where they are too many for that.
    package var viewOfEverybody: [PresenceView] {
        guard self.onlineCount <= self.settings.maximumIntroducedUsers else { return [] }
        return self.presence.online.map { self.view(of: $0) }.sorted { $0.user.text < $1.user.text }
    }

    package func unwatch(_ users: [UserID], by guest: Guest) {
        self.presence.unwatched(users, by: guest.session)
    }

    package func unwatchEverybody(by guest: Guest) { self.presence.watchedEverybody(false, by: guest.session) }

    package func view(of user: UserID) -> PresenceView {
        let face = self.names[user]
        return PresenceView(
            user: user, name: face?.name, avatar: face?.avatar, isOnline: self.presence.isOnline(user))
    }

    /// What a line watches is forgotten when it is closed, so it may not begin afterwards.
    private func checkIsHere(_ guest: Guest) throws(RequestError) {
        guard self.guests[guest.session] === guest else {
            throw RequestError(.unavailable, "the line is not connected")
        }
    }

    /// All users who are online, with how many lines.
    package var peopleOnline: [(user: UserID, name: DisplayName, lines: Int)] {
        self.presence.online.map { ($0, self.name(of: $0), self.presence.lines(of: $0).count) }
            .sorted { $0.user.text < $1.user.text }
    }

    /// The names of all users who are online.
    package var namesOnline: [DisplayName] { self.presence.online.map { self.name(of: $0) } }

    private func name(of user: UserID) -> DisplayName { self.face(of: user).name }
    private func face(of user: UserID) -> ProfileSummary { self.names[user] ?? ProfileSummary(DisplayName(of: user)) }

    /// A user is not told of their own coming.
    private func others(watching user: UserID) -> Set<SessionID> {
        var watchers = self.presence.watchers(of: user)
        for line in self.presence.lines(of: user) { watchers.remove(line) }
        return watchers
    }

    func tellPresence() {
        // Taken out, for a copy would give its memory away.
        var outbox = PresenceOutbox()
        swap(&outbox, &self.presenceOutbox)
        for order in outbox.orders {
            switch order {
            case .cameOnline(let user):
                self.tell(.cameOnline(user, self.face(of: user)), to: self.others(watching: user))
                self.happened(.cameOnline(user))
            case .wentOffline(let user, _):
                let notice = Notice.wentOffline(user, self.name(of: user), lastSeen: self.wallTime)
                self.tell(notice, to: self.presence.watchers(of: user))
                self.forgetName(of: user)
                self.happened(.wentOffline(user))
            }
        }
        outbox.removeAll()
        swap(&outbox, &self.presenceOutbox)
        self.armAlarm()
    }
}
