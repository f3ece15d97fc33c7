package import Calling
package import Conversing
internal import JSON
package import Operations
package import Reactor
package import Vocabulary

/// One client of a server: it gets in, comes back by itself after trouble, asks, and hears what happens.
///
///     let client = ParleyClient(url, token: signedIn.accessToken, on: loop)
///     try await client.connect()
///     let room = try await client.join(room)
///     for await event in client.events { … }
///
/// The loop has to outlive it: requests are answered there, at the latest when their time is up.
package final class ParleyClient: Sendable {
    /// Everything in its order, for one reader. It ends after `ended`.
    package let events: AsyncStream<ParleyEvent>

    private let server: ServerURL
    private let loop: EventLoop
    private let shell: ClientShell

    package init(_ server: ServerURL, token: String, on loop: EventLoop, settings: ClientSettings = ClientSettings()) {
        let (events, sink) = AsyncStream.makeStream(
            of: ParleyEvent.self, bufferingPolicy: .bufferingOldest(Self.room(settings)))
        self.events = events
        self.server = server
        self.loop = loop
        self.shell = ClientShell(server, token: token, settings: settings) { Self.pass($0, to: sink) }
    }

    /// How many events wait at most: one more than is allowed, with which the session is over, and its end.
    private static func room(_ settings: ClientSettings) -> Int { settings.maximumUnreadEvents + 2 }

    private static func pass(_ event: ParleyEvent, to sink: AsyncStream<ParleyEvent>.Continuation) -> Bool {
        let result = sink.yield(event)
        if case .ended = event { sink.finish() }
        guard case .enqueued(let remaining) = result else { return true }
        return remaining >= 2
    }

    deinit {
        let shell = self.shell
        self.loop.execute { _ in shell.stop() }
    }

    /// Waits until the server has let us in, or throws why not. Call it once.
    ///
    /// Unless the settings say otherwise a first attempt that fails is the last one.
    @discardableResult
    package func connect() async throws(LinkFailure) -> SessionID {
        let result = await withCheckedContinuation { continuation in
            self.loop.execute { reactor in
                self.shell.start(on: reactor) { continuation.resume(returning: $0) }
            }
        }
        return try result.get()
    }

    /// Says goodbye. What still waits for an answer is told so.
    package func close() {
        self.loop.execute { _ in self.shell.stop() }
    }

    /// From the next connect on, another token is shown. `refreshSession` does it for the connection that is.
    package func use(token: String) {
        self.loop.execute { _ in self.shell.renew(token: token) }
    }

    /// What is said is seen to on the loop.
    private func outgoing(_ event: @escaping @Sendable (inout OutgoingMessages, Instant) -> [OutgoingMessages.Order]) {
        self.loop.execute { reactor in self.shell.outgoing(on: reactor, event) }
    }

    /// Where files are brought, by the same user.
    package func uploads() async -> UploadClient {
        let token = await withCheckedContinuation { continuation in
            self.loop.execute { _ in continuation.resume(returning: self.shell.token) }
        }
        return UploadClient(self.server, token: token, on: self.loop)
    }

    /// Asks for anything there is. The caller reads the answer.
    @discardableResult
    package func request(_ operation: Operation, _ arguments: Argument...) async throws(ClientError) -> RawJSON {
        try await self.request(operation, arguments)
    }

    @discardableResult
    package func request(_ operation: Operation, _ arguments: [Argument]) async throws(ClientError) -> RawJSON {
        let argument = RawJSON(arguments)
        let result = await withCheckedContinuation { continuation in
            self.loop.execute { reactor in
                self.shell.request(operation.name, argument, on: reactor) { continuation.resume(returning: $0) }
            }
        }
        return try result.get()
    }
}

// MARK: - Rooms

extension ParleyClient {
    /// - Parameter key: what the room asks for; who opens it asks for the same.
    package func join(
        _ room: RoomName, replacing member: SessionID? = nil, _ key: RoomKey = RoomKey()
    ) async throws(ClientError) -> JoinedRoom {
        try JoinedRoom(
            try await self.request(
                .room(.join), Field.room(room), Field.replaced.optional(member), Field.roomKey(key)))
    }

    /// Asks the members to be let in; `RoomEvent.Change.admitted` comes when one of them did.
    package func knock(at room: RoomName) async throws(ClientError) {
        try await self.request(.room(.knock), Field.room(room))
    }

    package func admit(_ user: UserID, to room: RoomName) async throws(ClientError) {
        try await self.request(.room(.admit), Field.room(room), Field.user(user))
    }

    /// Sends a user away; for the host of the room.
    ///
    /// - Parameter isBanned: whether they may not come again for as long as the room lasts.
    package func remove(_ user: UserID, from room: RoomName, isBanned: Bool = false) async throws(ClientError) {
        try await self.request(.room(.remove), Field.room(room), Field.user(user), Field.isBanned(isBanned))
    }

    /// Tells the others in a room that we keep what is said, or no longer do.
    package func record(_ isOn: Bool, in room: RoomName) async throws(ClientError) {
        try await self.request(.room(.record), Field.room(room), Field.isOn(isOn))
    }

    package func leave(_ room: RoomName) async throws(ClientError) {
        try await self.request(.room(.leave), Field.room(room))
    }

    package func members(of room: RoomName) async throws(ClientError) -> JoinedRoom {
        try JoinedRoom(try await self.request(.room(.members), Field.room(room)))
    }
}

// MARK: - Signals

extension ParleyClient {
    /// To one member, or to all others in the room; its number then comes back.
    @discardableResult
    package func signal(
        _ content: SignalMessage.Content, in room: RoomName, to member: SessionID? = nil
    ) async throws(ClientError) -> UInt64? {
        try await self.request(.signal, Field.room(room), Field.receiver.optional(member), content.argument).number
    }

    /// To the other side of a call that was answered.
    package func signal(_ content: SignalMessage.Content, in call: CallID) async throws(ClientError) {
        try await self.request(.signal, Field.call(call), content.argument)
    }
}

// MARK: - Calls

extension ParleyClient {
    /// Rings a user. A second invitation under the same name is the same call.
    package func invite(
        _ user: UserID, to kind: CallKind, as call: CallID? = nil
    ) async throws(ClientError) -> CallID {
        let answer = try await self.request(
            .call(.invite), Field.user(user), Field.callKind(kind), Field.call.optional(call))
        guard let call = answer.name("call", { CallID($0) }) else { throw .unreadableAnswer }
        return call
    }

    /// This device takes so many calls at once, until its connection breaks.
    package func answers(atOnce count: Int) async throws(ClientError) {
        try await self.request(.call(.answering), Field.atOnce(count))
    }

    /// Tells the caller that it rings here.
    package func ringing(_ call: CallID) async throws(ClientError) {
        try await self.request(.call(.ringing), Field.call(call))
    }

    package func accept(_ call: CallID) async throws(ClientError) {
        try await self.request(.call(.accept), Field.call(call))
    }

    package func decline(_ call: CallID) async throws(ClientError) {
        try await self.request(.call(.decline), Field.call(call))
    }

    package func hangUp(_ call: CallID) async throws(ClientError) {
        try await self.request(.call(.hangUp), Field.call(call))
    }

    /// This device cannot do its part.
    package func fail(_ call: CallID) async throws(ClientError) {
        try await self.request(.call(.failed), Field.call(call))
    }

    /// Tells the other side of a call that we keep what is said, or no longer do.
    package func record(_ isOn: Bool, in call: CallID) async throws(ClientError) {
        try await self.request(.call(.record), Field.call(call), Field.isOn(isOn))
    }

    /// Takes one's seat in a call on this connection.
    ///
    /// - Parameter keepsMedia: there is a connection to the other side, and it carries.
    package func take(
        _ call: CallID, replacing member: SessionID? = nil, keepsMedia: Bool = false
    ) async throws(ClientError) -> CallStatus {
        try CallStatus(
            try await self.request(
                .call(.take), Field.call(call), Field.replaced.optional(member), Field.keepsMedia(keepsMedia)))
    }
}

// MARK: - Presence

extension ParleyClient {
    /// How they are now; changes come as events.
    package func watch(_ users: [UserID]) async throws(ClientError) -> [Presence] {
        try Self.presences(try await self.request(.presence(.watch), Field.watched(.users(users))))
    }

    package func watchEverybody() async throws(ClientError) -> [Presence] {
        try Self.presences(try await self.request(.presence(.watch), Field.watched(.everybody)))
    }

    package func unwatch(_ users: [UserID]) async throws(ClientError) {
        try await self.request(.presence(.unwatch), Field.watched(.users(users)))
    }

    package func unwatchEverybody() async throws(ClientError) {
        try await self.request(.presence(.unwatch), Field.watched(.everybody))
    }

    private static func presences(_ answer: RawJSON) throws(ClientError) -> [Presence] {
        guard let list = answer.list("users") else { throw .unreadableAnswer }
        let presences = list.compactMap { Presence($0) }
        guard presences.count == list.count else { throw .unreadableAnswer }
        return presences
    }
}

// MARK: - The session itself

extension ParleyClient {
    package func iceServers() async throws(ClientError) -> ICEServerAdvice {
        guard let advice = ICEServerAdvice(try await self.request(.session(.iceServers))) else {
            throw .unreadableAnswer
        }
        return advice
    }

    /// Shows a fresh token, now and at every connect to come. Until when the session may last comes back.
    @discardableResult
    package func refreshSession(with token: String) async throws(ClientError) -> WallTime {
        self.use(token: token)
        let answer = try await self.request(.session(.refresh), Field.token(token))
        guard let expires = answer.integer("expires") else { throw .unreadableAnswer }
        return WallTime(milliseconds: Int64(expires))
    }
}

// MARK: - Conversations

/// Conversations.
extension ParleyClient {
    /// Says something. With an `id` it can be said again when no answer came, and is there once all the same.
    package func send(
        _ body: RawJSON, kind: MessageKind = .text, to target: ChatTarget, as id: MessageID? = nil,
        replyingTo reply: UInt64? = nil
    ) async throws(ClientError) -> ChatOutcome {
        try ChatOutcome(
            try await self.request(
                .chat(.send), Field.recipient(target.recipient), Field.messageKind(kind), Field.client.optional(id),
                Field.reply.optional(reply), Field.body(MessageBody(proven: body.bytes))))
    }

    package func send(
        text: String, to target: ChatTarget, as id: MessageID? = nil
    ) async throws(ClientError) -> ChatOutcome {
        try await self.send(RawJSON { $0.field("text", text) }, to: target, as: id)
    }

    /// Says something and sees to it: what becomes of it comes as `outgoing`, at the latest after twenty seconds.
    package func post(_ message: OutgoingMessage) { self.outgoing { $0.said(message, at: $1) } }

    /// Says once more what has failed, under the same name.
    package func postAgain(_ id: MessageID) { self.outgoing { $0.again(id, at: $1) } }

    package func recall(_ number: UInt64, in conversation: ConversationID) async throws(ClientError) -> ChatOutcome {
        try ChatOutcome(
            try await self.request(.chat(.recall), Field.conversation(conversation), Field.number(number)))
    }

    package func pin(
        _ number: UInt64, _ isOn: Bool = true, in conversation: ConversationID
    ) async throws(ClientError) -> ChatOutcome {
        let place = (Field.conversation(conversation), Field.number(number))
        return try ChatOutcome(try await self.request(.chat(.pin), place.0, place.1, Field.isOn(isOn)))
    }

    /// The latest pin first.
    package func pins(of conversation: ConversationID) async throws(ClientError) -> ChatPage {
        try ChatPage(try await self.request(.chat(.pins), Field.conversation(conversation)))
    }

    /// How far this device's reader got. What is unread then comes back.
    @discardableResult
    package func markRead(_ number: UInt64, in conversation: ConversationID) async throws(ClientError) -> Int {
        let answer = try await self.request(
            .chat(.read), Field.conversation(conversation), Field.number(number))
        guard let unread = answer.integer("unread") else { throw .unreadableAnswer }
        return unread
    }

    package func typing(_ isOn: Bool, in conversation: ConversationID) async throws(ClientError) {
        try await self.request(.chat(.typing), Field.conversation(conversation), Field.isOn(isOn))
    }

    /// Brings what was missed; from then on events come live. Ask again after every `connected`.
    ///
    /// - Parameter newest: of each conversation only so many of the newest entries, also of one that was seen before.
    package func sync(
        from positions: [ConversationID: UInt64] = [:], newest: Int? = nil
    ) async throws(ClientError) -> [(view: ChatView, entries: [ChatEntry], remaining: Int)] {
        let answer = try await self.request(
            .chat(.sync), Field.positions(positions), Field.newest.optional(newest))
        guard let list = answer.list("conversations") else { throw .unreadableAnswer }
        var pieces: [(view: ChatView, entries: [ChatEntry], remaining: Int)] = []
        for piece in list {
            guard let view = ChatView(piece) else { throw .unreadableAnswer }
            let entries = try ChatPage(piece).entries
            pieces.append((view, entries, piece.integer("remaining") ?? 0))
        }
        return pieces
    }

    package func history(
        of conversation: ConversationID, before number: UInt64? = nil, limit: Int = 20
    ) async throws(ClientError) -> ChatPage {
        try ChatPage(
            try await self.request(
                .chat(.history), Field.conversation(conversation), Field.before.optional(number), Field.limit(limit)))
    }

    /// The latest conversations.
    package func conversations(limit: Int = 50) async throws(ClientError) -> [ChatView] {
        var views: [ChatView] = []
        try await self.eachPage(of: min(limit, 200)) { page in
            views += page.prefix(limit - views.count)
            return views.count < limit
        }
        return views
    }

    /// The conversation with a user, however long it has been quiet.
    package func conversation(with user: UserID) async throws(ClientError) -> ChatView? {
        var found: ChatView?
        try await self.eachPage(of: 200) { page in
            found = page.first { $0.kind == "direct" && $0.peer == user }
            return found == nil
        }
        return found
    }

    /// So many pages of conversations are asked for: those of a user who is in as many as a server allows, twice over. A server
    /// may say for ever that there are more.
    private static let maximumPages = 100

    /// The latest first, for as long as `body` wants more.
    private func eachPage(of limit: Int, _ body: ([ChatView]) -> Bool) async throws(ClientError) {
        var place: String?
        for _ in 0..<Self.maximumPages {
            let page = try await self.conversations(before: place, limit: limit)
            guard body(page.views), !page.views.isEmpty, let next = page.next else { return }
            place = next
        }
    }

    /// As many as one answer holds, and where the next one begins.
    private func conversations(
        before place: String?, limit: Int
    ) async throws(ClientError) -> (views: [ChatView], next: String?) {
        let answer = try await self.request(
            .chat(.conversations), Field.limit(limit), Field.place.optional(place))
        guard let list = answer.list("conversations") else { throw .unreadableAnswer }
        return (list.compactMap { ChatView($0) }, answer.text("next"))
    }

    /// The latest entries in which some words stand.
    package func search(
        _ text: String, in conversation: ConversationID? = nil
    ) async throws(ClientError) -> ChatPage {
        try ChatPage(
            try await self.request(.chat(.search), Field.words(text), Field.conversation.optional(conversation)))
    }

    package func createGroup(
        titled title: DisplayName? = nil, with users: [UserID], as id: ConversationID? = nil
    ) async throws(ClientError) -> ChatOutcome {
        try ChatOutcome(
            try await self.request(
                .chat(.create), Field.title.optional(title), Field.users(users), Field.conversation.optional(id)))
    }

    package func invite(_ users: [UserID], to group: ConversationID) async throws(ClientError) -> ChatOutcome {
        try ChatOutcome(try await self.request(.chat(.invite), Field.conversation(group), Field.users(users)))
    }

    package func leave(_ group: ConversationID) async throws(ClientError) -> ChatOutcome {
        try ChatOutcome(try await self.request(.chat(.leave), Field.conversation(group)))
    }
}

// MARK: - Profiles

/// What people are called and what they look like.
extension ParleyClient {
    package func ownProfile() async throws(ClientError) -> ProfileView {
        try Self.profile(try await self.request(.profile(.own)))
    }

    /// Of somebody by their id, or by the name they registered with; nil of whom nothing is known.
    package func profile(of user: UserID) async throws(ClientError) -> ProfileView? {
        do throws(ClientError) {
            return try Self.profile(try await self.request(.profile(.of), Field.user(user)))
        } catch {
            if case .refused(let refusal) = error, refusal.code == RequestError.Code.notFound.rawValue { return nil }
            throw error
        }
    }

    /// Those of `users` of whom something is known.
    package func profiles(of users: [UserID]) async throws(ClientError) -> [ProfileView] {
        let answer = try await self.request(.profile(.list), Field.users(users))
        guard let list = answer.list("users") else { throw .unreadableAnswer }
        return list.compactMap { ProfileView($0) }
    }

    /// What is nil stays.
    @discardableResult
    package func changeProfile(
        name: DisplayName? = nil, avatar: FileID? = nil
    ) async throws(ClientError) -> ProfileView {
        let answer = try await self.request(
            .profile(.change), Field.name.optional(name.map { .set($0) }),
            Field.avatar.optional(avatar.map { .set($0) }))
        return try Self.profile(answer)
    }

    package func removeAvatar() async throws(ClientError) {
        try await self.request(.profile(.change), Field.avatar(.removed))
    }

    private static func profile(_ json: RawJSON) throws(ClientError) -> ProfileView {
        guard let profile = ProfileView(json) else { throw .unreadableAnswer }
        return profile
    }
}
