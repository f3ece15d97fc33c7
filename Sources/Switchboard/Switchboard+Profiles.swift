internal import Calling
internal import Keeping
internal import Vocabulary

extension Switchboard {
    /// A user is known by something else now: `sessions` hear it, and all who see the user here.
    func tell(_ profile: Profile, _ sessions: Set<SessionID>) {
        let user = profile.user
        let lines = self.presence.lines(of: user)
        self.rename(profile, lines)
        var hearing = sessions.union(self.presence.watchers(of: user)).union(lines)
        for room in Set(lines.flatMap { self.rooms(of: $0) }) {
            guard let machine = self.rooms[room], machine.count <= self.settings.maximumIntroducedMembers else {
                continue
            }
            machine.forEachMember { hearing.insert($0.session) }
        }
        self.tell(.profile(profile), to: hearing)
    }

    private func rename(_ profile: Profile, _ lines: [SessionID]) {
        // Before this node is in the ledger no user counts as online.
        let guests =
            self.early == nil
            ? lines.compactMap { self.guest($0) } : self.guests.values.filter { $0.user == profile.user }
        for guest in guests { guest.avatar = profile.avatar }
        let name = profile.shownName ?? DisplayName(of: profile.user)
        for guest in guests where !guest.dialect.keepsNames { guest.name = name }
        let kept = guests.first { $0.dialect.keepsNames }?.name
        self.names.changed(profile.user, to: ProfileSummary(kept ?? name, profile.avatar))
    }
}
