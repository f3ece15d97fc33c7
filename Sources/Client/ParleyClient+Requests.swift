package import Calling
internal import Operations
package import Vocabulary

// MARK: - Rooms

extension ParleyClient {
    package func join(_ room: RoomName, replacing member: SessionID? = nil) async throws(ClientError) -> RoomView {
        try RoomView(try await self.request(.room(.join), Field.room(room), Field.replaced.optional(member)))
    }

    package func leave(_ room: RoomName) async throws(ClientError) {
        try await self.request(.room(.leave), Field.room(room))
    }

    package func members(of room: RoomName) async throws(ClientError) -> RoomView {
        try RoomView(try await self.request(.room(.members), Field.room(room)))
    }
}

// MARK: - Signals

extension ParleyClient {
    /// To one member, or to all others in the room; its number then comes back.
    @discardableResult
    package func signal(
        _ content: Signal.Content, in room: RoomName, to member: SessionID? = nil
    ) async throws(ClientError) -> UInt64? {
        try await self.request(.signal, Field.room(room), Field.receiver.optional(member), content.argument).number
    }

    /// To the other side of a call that was answered.
    package func signal(_ content: Signal.Content, in call: CallID) async throws(ClientError) {
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

    /// Takes one's seat in a call on this connection.
    package func take(_ call: CallID, replacing member: SessionID? = nil) async throws(ClientError) -> CallView {
        try CallView(try await self.request(.call(.take), Field.call(call), Field.replaced.optional(member)))
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
