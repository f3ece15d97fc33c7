internal import Identity
internal import Reactor
internal import Store
internal import Switchboard
internal import Vocabulary

extension SignallingApplication {
    /// By what somebody is known who comes in: a token was written some time ago, and the store knows what was said since.
    func findFace(of identity: Identity, _ completion: @escaping (Face) -> Void) {
        self.faces.profiles(
            of: [identity.user],
            self.reactor.returning { [unowned self] result in
                // Whoever has a good token gets in, also when the store has no time.
                guard case .success(let known) = result else { return completion(Face(identity, known: nil)) }
                let profile = known.first
                guard identity.isNewer(than: profile) else { return completion(Face(identity, known: profile)) }
                self.introduce(identity) { completion(Face(identity, known: nil)) }
            })
    }

    /// What an application says of its user, for those who look the user up. It says so again with the next token, so
    /// that it could not be kept matters to nobody.
    private func introduce(_ identity: Identity, _ done: @escaping () -> Void) {
        let words = Introduction(
            identity.user, displayName: identity.displayName, avatar: identity.avatar, at: identity.issuedAt)
        self.faces.introduce(words, self.reactor.returning { _ in done() })
    }
}

extension Identity {
    /// Whether an application knows more of its user than was said here.
    fileprivate func isNewer(than profile: Profile?) -> Bool {
        guard self.kind == .application, self.displayName != nil || self.avatar != nil else { return false }
        guard let profile else { return true }
        let isDifferent =
            self.displayName.map { $0 != profile.displayName } ?? false
            || self.avatar.map { $0 != profile.avatar } ?? false
        return isDifferent && self.issuedAt >= profile.changed
    }
}

extension Face {
    fileprivate init(_ identity: Identity, known profile: Profile?) {
        // What somebody has taken away stays away, whatever an older token says.
        let isOld = profile.map { $0.changed > identity.issuedAt } ?? false
        let said = isOld ? nil : identity.displayName
        let name = profile?.shownName ?? said ?? DisplayName(identity.user.text)
        self.init(name ?? .nobody, profile.map(\.avatar) ?? identity.avatar)
    }
}
