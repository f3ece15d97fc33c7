package import Calling
internal import JSON
package import Vocabulary

extension ParleyClient {
    private func ask(_ name: String, _ members: (String, String?)...) async throws(ClientError) -> RawJSON {
        try await self.request(name, RawJSON { $0.members(members) })
    }
}

// MARK: - Rooms

extension ParleyClient {
    package func join(_ room: RoomName, replacing member: SessionID? = nil) async throws(ClientError) -> RoomView {
        try RoomView(try await self.ask("room.join", ("room", room.text), ("replaces", member?.text)))
    }

    package func leave(_ room: RoomName) async throws(ClientError) {
        _ = try await self.ask("room.leave", ("room", room.text))
    }

    package func members(of room: RoomName) async throws(ClientError) -> RoomView {
        try RoomView(try await self.ask("room.members", ("room", room.text)))
    }
}

// MARK: - Signals

extension ParleyClient {
    /// To one member, or to all others in the room; its number then comes back.
    @discardableResult
    package func signal(
        _ content: Signal.Content, in room: RoomName, to member: SessionID? = nil
    ) async throws(ClientError) -> UInt64? {
        try await self.signal(content, .room(room), to: member).number
    }

    /// To the other side of a call that was answered.
    package func signal(_ content: Signal.Content, in call: CallID) async throws(ClientError) {
        _ = try await self.signal(content, .call(call), to: nil)
    }

    private func signal(
        _ content: Signal.Content, _ scope: Signal.Scope, to member: SessionID?
    ) async throws(ClientError) -> RawJSON {
        let argument = RawJSON { json in
            json.members([scope.member, ("to", member?.text)])
            content.write(to: &json)
        }
        return try await self.request("signal", argument)
    }
}

// MARK: - Calls

extension ParleyClient {
    /// Rings a user. A second invitation under the same name is the same call.
    package func invite(
        _ user: UserID, to kind: CallKind, as call: CallID? = nil
    ) async throws(ClientError) -> CallID {
        let answer = try await self.ask(
            "call.invite", ("user", user.text), ("kind", kind.rawValue), ("call", call?.text))
        guard let call = answer.name("call", { CallID($0) }) else { throw .unreadableAnswer }
        return call
    }

    /// This device takes so many calls at once, until its connection breaks.
    package func answers(atOnce count: Int) async throws(ClientError) {
        let argument = RawJSON { json in
            json.field("atOnce", count)
        }
        _ = try await self.request("call.answering", argument)
    }

    /// Tells the caller that it rings here.
    package func ringing(_ call: CallID) async throws(ClientError) {
        _ = try await self.ask("call.ringing", ("call", call.text))
    }

    package func accept(_ call: CallID) async throws(ClientError) {
        _ = try await self.ask("call.accept", ("call", call.text))
    }

    package func decline(_ call: CallID) async throws(ClientError) {
        _ = try await self.ask("call.decline", ("call", call.text))
    }

    package func hangUp(_ call: CallID) async throws(ClientError) {
        _ = try await self.ask("call.hangup", ("call", call.text))
    }

    /// This device cannot do its part.
    package func fail(_ call: CallID) async throws(ClientError) {
        _ = try await self.ask("call.failed", ("call", call.text))
    }

    /// Takes one's seat in a call on this connection.
    package func take(_ call: CallID, replacing member: SessionID? = nil) async throws(ClientError) -> CallView {
        try CallView(try await self.ask("call.take", ("call", call.text), ("replaces", member?.text)))
    }
}

// MARK: - Presence

extension ParleyClient {
    /// How they are now; changes come as events.
    package func watch(_ users: [UserID]) async throws(ClientError) -> [Presence] {
        try Self.presences(try await self.request("presence.watch", Self.list(users)))
    }

    package func watchEverybody() async throws(ClientError) -> [Presence] {
        try Self.presences(try await self.request("presence.watch", Self.everybody))
    }

    package func unwatch(_ users: [UserID]) async throws(ClientError) {
        _ = try await self.request("presence.unwatch", Self.list(users))
    }

    package func unwatchEverybody() async throws(ClientError) {
        _ = try await self.request("presence.unwatch", Self.everybody)
    }

    private static var everybody: RawJSON {
        RawJSON { json in
            json.field("everybody", true)
        }
    }

    private static func list(_ users: [UserID]) -> RawJSON {
        RawJSON { json in
            json.key("users")
            json.array { json in
                for user in users { json.string(user.text) }
            }
        }
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
        guard let advice = ICEServerAdvice(try await self.ask("ice.servers")) else { throw .unreadableAnswer }
        return advice
    }

    /// Shows a fresh token, now and at every connect to come. Until when the session may last comes back.
    @discardableResult
    package func refreshSession(with token: String) async throws(ClientError) -> WallTime {
        self.use(token: token)
        let answer = try await self.ask("session.refresh", ("token", token))
        guard let expires = answer.integer("expires") else { throw .unreadableAnswer }
        return WallTime(milliseconds: Int64(expires))
    }
}
