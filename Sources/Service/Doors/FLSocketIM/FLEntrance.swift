internal import Identity
internal import Operations
internal import Reactor
internal import SocketIO
internal import SocketServer
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// Where FLSocketIM's apps come in: everything that speaks Engine.IO 3 is taken for one of them.
final class FLEntrance: Entrance {
    let dialect: any Dialect = FLDialect()
    private let reactor: Reactor
    private let accounts: Accounts
    private let board: Switchboard
    private let chat: ChatService
    private let requests: FLRequests

    init(_ dependencies: DoorDependencies) {
        self.reactor = dependencies.reactor
        self.accounts = dependencies.accounts
        self.board = dependencies.board
        self.chat = dependencies.chat
        self.requests = FLRequests(dependencies)
    }

    func claims(_ arrival: SocketArrival) -> Bool { arrival.version == .v3 }

    /// Their long-lived token comes in the query, or better as `Authorization: Bearer`; a client without one hears no more than that.
    func identify(
        _ arrival: SocketArrival, _ completion: @escaping (Result<Visitor, ArrivalRefusal>) -> Void
    ) {
        let refusal = ArrivalRefusal(text: "Not authorized")
        guard let token = arrival.client.credential else { return completion(.failure(refusal)) }
        let accounts = self.accounts
        self.reactor.perform(
            { await Self.visitor(token, accounts) },
            completion: { [unowned self] visitor in
                guard let visitor else { return completion(.failure(refusal)) }
                self.findBlocked(visitor) { completion(.success($0)) }
            })
    }

    /// Also when the store has no time the client gets in.
    private func findBlocked(_ visitor: Visitor, _ completion: @escaping (Visitor) -> Void) {
        self.chat.fetch(ListBlocked(by: visitor.identity.user)) { found in
            var visitor = visitor
            visitor.blocked = try? found.get()
            completion(visitor)
        }
    }

    /// By the user name under which their apps know people. Nil for a token that is not valid.
    private static func visitor(_ token: String, _ accounts: Accounts) async -> Visitor? {
        guard let identity = try? await accounts.identity(ofLegacyToken: token),
            let profile = try? await accounts.profile(of: identity.user),
            let name = DisplayName(profile.signInName?.text ?? identity.user.text)
        else { return nil }
        return Visitor(identity: identity, face: ProfileSummary(name, identity.avatar))
    }

    /// Every client's coming and going is told to all others.
    func entered(_ session: SignedInSession) throws(RequestError) {
        self.requests.entered(session.guest)
        try self.board.watchEverybody(by: session.guest)
    }

    func received(_ event: SocketEvent, _ bytes: Span<UInt8>, from session: SignedInSession) {
        self.requests.received(event, bytes, from: session.guest)
    }

    func left(_ session: SignedInSession) { self.requests.left(session.guest) }
}
