internal import Identity
internal import Reactor
internal import Keeping
internal import Vocabulary

/// What is known of people who come in: a token was written some time ago, and the store knows what was said since. Who
/// comes in is known from then on, also a user of whom an application says nothing. Lives on the loop of the sockets.
final class VisitorLookup {
    struct Found {
        /// By what others know them.
        let face: ProfileSummary
        /// From whom they do not want to hear; nil when the store has no time.
        let blocked: [UserID]?
    }

    private let store: any Store
    private let reactor: Reactor
    /// The tokens of users of applications that were looked at, so that not every request over HTTP leads to a question.
    private var noticed: [UserID: String] = [:]

    private static let maximumNoticed = 10_000

    init(_ store: any Store, on reactor: Reactor) {
        self.store = store
        self.reactor = reactor
    }

    /// What an application says of its user is kept for those who look the user up, when it is the later word.
    func find(_ identity: Identity, _ completion: @escaping (Found) -> Void) {
        self.store.send(
            FindVisitor(of: identity.user),
            self.reactor.returning { [unowned self] result in
                // A client with a good token gets in, also when the store has no time.
                guard case .success(let known) = result else {
                    return completion(Found(face: ProfileSummary(identity, known: nil), blocked: nil))
                }
                guard identity.isNewer(than: known.profile) else {
                    return completion(
                        Found(face: ProfileSummary(identity, known: known.profile), blocked: known.blocked))
                }
                let face = ProfileSummary(identity, over: known.profile)
                self.introduce(identity) { completion(Found(face: face, blocked: $0)) }
            })
    }

    /// A client asks over HTTP, and is not kept waiting for this.
    func notice(_ identity: Identity) {
        guard identity.kind == .application, self.noticed[identity.user] != identity.tokenID else { return }
        if self.noticed.count >= Self.maximumNoticed { self.noticed = [:] }
        self.noticed[identity.user] = identity.tokenID
        self.find(identity) { _ in }
    }

    /// The next token says it again, so that it could not be kept does not matter.
    private func introduce(_ identity: Identity, _ done: @escaping ([UserID]?) -> Void) {
        let words = Introduction(
            identity.user, displayName: identity.displayName, avatar: identity.avatar, at: identity.issuedAt)
        self.store.send(words, self.reactor.returning { done(try? $0.get()) })
    }
}

extension Identity {
    /// Whether it is an application's word about its user.
    fileprivate var saysSomething: Bool {
        self.kind == .application && (self.displayName != nil || self.avatar != nil)
    }

    /// Whether an application knows more of its user than was said here.
    fileprivate func isNewer(than profile: Profile?) -> Bool {
        guard let profile else { return self.kind == .application }
        guard self.saysSomething else { return false }
        let isDifferent =
            self.displayName.map { $0 != profile.displayName } ?? false
            || self.avatar.map { $0 != profile.avatar } ?? false
        return isDifferent && self.issuedAt >= profile.changed
    }
}

extension ProfileSummary {
    /// What an application does not say stays.
    fileprivate init(_ identity: Identity, over profile: Profile?) {
        let name = identity.displayName ?? profile?.shownName ?? DisplayName(identity.user.text)
        self.init(name ?? .nobody, identity.avatar ?? profile?.avatar)
    }

    fileprivate init(_ identity: Identity, known profile: Profile?) {
        // What a user has taken away stays away, whatever an older token says.
        let isOld = profile.map { $0.changed > identity.issuedAt } ?? false
        let said = isOld ? nil : identity.displayName
        let name = profile?.shownName ?? said ?? DisplayName(identity.user.text)
        self.init(name ?? .nobody, profile.map(\.avatar) ?? identity.avatar)
    }
}
