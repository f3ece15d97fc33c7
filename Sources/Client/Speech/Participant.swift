package import Vocabulary

/// The user at the other end of one connection.
package struct Participant: Hashable, Sendable {
    package let member: SessionID
    package let user: UserID
    package let name: String
    package let avatar: String?
    /// Their line is broken; the seat waits.
    package let isAway: Bool
    /// Since when they keep what is said.
    package let recordingSince: WallTime?

    init?(_ json: RawJSON?) {
        guard let json, let member = json.name("member", { SessionID($0) }),
            let user = json.name("user", { UserID($0) })
        else { return nil }
        self.member = member
        self.user = user
        self.name = json.text("name") ?? user.text
        self.avatar = json.text("avatar")
        self.isAway = json.bool("away") ?? false
        self.recordingSince = json.time("recording")
    }
}

/// Whether a user is there.
package struct Presence: Hashable, Sendable {
    package let user: UserID
    package let name: String?
    package let avatar: String?
    package let isOnline: Bool
    package let lastSeen: WallTime?

    init?(_ json: RawJSON) {
        guard let user = json.name("user", { UserID($0) }), let isOnline = json.bool("online") else { return nil }
        self.user = user
        self.name = json.text("name")
        self.avatar = json.text("avatar")
        self.isOnline = isOnline
        self.lastSeen = json.integer("lastSeen").map { WallTime(milliseconds: Int64($0)) }
    }
}

/// The server's greeting at every connect.
package struct Welcome: Hashable, Sendable {
    package let user: UserID
    package let name: String
    /// This connection's name among others.
    package let member: SessionID
    package let iceServers: ICEServerAdvice
    /// When our token ends.
    package let expires: WallTime

    init?(_ json: RawJSON) {
        guard let user = json.name("user", { UserID($0) }), let member = json.name("member", { SessionID($0) }),
            let servers = json.member("iceServers"), let expires = json.integer("expires")
        else { return nil }
        self.user = user
        self.name = json.text("name") ?? user.text
        self.member = member
        self.iceServers = ICEServerAdvice(servers: servers, expires: nil)
        self.expires = WallTime(milliseconds: Int64(expires))
    }
}

/// Which STUN and TURN servers to use, as `RTCPeerConnection` takes them.
package struct ICEServerAdvice: Hashable, Sendable {
    package let servers: RawJSON
    package let expires: WallTime?

    init(servers: RawJSON, expires: WallTime?) {
        self.servers = servers
        self.expires = expires
    }

    init?(_ json: RawJSON) {
        guard let servers = json.member("iceServers") else { return nil }
        self.servers = servers
        self.expires = json.integer("expires").map { WallTime(milliseconds: Int64($0)) }
    }
}
