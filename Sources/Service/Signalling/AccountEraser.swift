internal import Keeping
internal import Reactor
internal import Switchboard
internal import Vocabulary

/// Takes deleted users out of what they were part of. What the end of the program interrupted goes on with the next start,
/// what the store did not take with the next hour. Lives on the loop of the sockets.
final class AccountEraser {
    private let store: any Store
    private let chat: ChatService
    private let reactor: Reactor
    private var underWay: Set<UserID> = []

    init(_ store: any Store, _ chat: ChatService, on reactor: Reactor) {
        self.store = store
        self.chat = chat
        self.reactor = reactor
    }

    func erase(_ user: UserID) {
        guard self.underWay.insert(user).inserted else { return }
        self.chat.erase(user) { [weak self] _ in self?.underWay.remove(user) }
    }

    /// Everybody of whom something is left.
    func resume() {
        self.store.send(
            ListDeletedUsers.erasing,
            self.reactor.returning { [weak self] result in
                guard case .success(let users) = result else { return }
                for user in users { self?.erase(user) }
            })
    }
}
