package import JSON
internal import Secure
package import Vocabulary

/// The servers as one client gets them.
package struct ICEServerOffer: Hashable, Sendable {
    package struct Server: Hashable, Sendable {
        package let urls: [ICEServerURL]
        package var username: String?
        package var credential: String?
    }

    package private(set) var servers: [Server]
    /// When the first of the credentials ends; nil when none does.
    package private(set) var expiry: WallTime?
    /// When a client should be given new ones: after four fifths of their life.
    package private(set) var refresh: WallTime?

    mutating func add(_ server: ICEServer, for user: UserID, in seat: RelaySeat?, at now: WallTime) {
        switch server.credentials {
        case .none: self.servers.append(Server(urls: server.urls))
        case .fixed(let username, let credential):
            self.servers.append(Server(urls: server.urls, username: username, credential: credential))
        case .minted(let secret, let life):
            let made = TURNCredentials(for: user, in: seat, secret: secret, life: life, at: now)
            self.servers.append(Server(urls: server.urls, username: made.username, credential: made.credential))
            self.expiry = min(self.expiry ?? made.expiry, made.expiry)
            let due = now + (life * 4 / 5)
            self.refresh = min(self.refresh ?? due, due)
        }
    }
}

extension ICEServerOffer {
    /// An array of `RTCIceServer`, as `RTCPeerConnection` takes it.
    package func write(to json: inout JSONWriter) {
        json.array { json in
            for server in self.servers { server.write(to: &json) }
        }
    }
}

extension ICEServerOffer.Server {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.array("urls", of: self.urls) { $0.string($1.text) }
            json.members([("username", self.username), ("credential", self.credential)])
        }
    }
}
