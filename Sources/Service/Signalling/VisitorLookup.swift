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
        guard identity.kind == .application else {
            return self.ask(FindVisitor(of: identity.user), identity, completion)
        }
        let words = Introduction(
            identity.user, displayName: identity.displayName, avatar: identity.avatar, at: identity.issuedAt)
        self.ask(VisitorIntroduction(words), identity, completion)
    }

    private func ask<Request: StoreRequest>(
        _ request: Request, _ identity: Identity, _ completion: @escaping (Found) -> Void
    ) where Request.Answer == KnownVisitor {
        self.store.send(
            request,
            self.reactor.returning { result in
                // A client with a good token gets in, also when the store has no time. The next token says again what was said.
                let known = try? result.get()
                completion(Found(face: ProfileSummary(identity, known: known?.profile), blocked: known?.blocked))
            })
    }

    /// A client asks over HTTP, and is not kept waiting for this.
    func notice(_ identity: Identity) {
        guard identity.kind == .application, self.noticed[identity.user] != identity.tokenID else { return }
        if self.noticed.count >= Self.maximumNoticed { self.noticed = [:] }
        self.noticed[identity.user] = identity.tokenID
        self.find(identity) { _ in }
    }
}

extension ProfileSummary {
    fileprivate init(_ identity: Identity, known profile: Profile?) {
        // What a user has taken away stays away, whatever an older token says.
        let isOld = profile.map { $0.changed > identity.issuedAt } ?? false
        let said = isOld ? nil : identity.displayName
        let name = profile?.shownName ?? said ?? DisplayName(identity.user.text)
        self.init(name ?? .nobody, profile.map(\.avatar) ?? identity.avatar)
    }
}
