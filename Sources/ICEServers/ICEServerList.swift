internal import Secure
package import Vocabulary

/// One entry of `ice-servers.json`.
package struct ICEServer: Hashable, Sendable {
    package enum Credentials: Hashable, Sendable {
        case none
        /// The same credentials for all clients, from the file.
        case fixed(username: String, credential: String)
        /// Made for each user, good for `life`.
        case minted(secret: [UInt8], life: Duration)
    }

    package let urls: [ICEServerURL]
    package let credentials: Credentials

    package init(urls: [ICEServerURL], credentials: Credentials) {
        self.urls = urls
        self.credentials = credentials
    }
}

/// The STUN and TURN servers clients are told of.
package struct ICEServerList: Hashable, Sendable {
    package let servers: [ICEServer]

    package static let maximumBytes = 65_536
    package static let maximumServers = 32
    package static let maximumURLs = 16

    package init(_ servers: [ICEServer] = []) {
        self.servers = servers
    }

    /// What one user is told now.
    ///
    /// - Parameter builtIn: servers of our own, named first.
    package func offer(to user: UserID, builtIn: [ICEServerURL] = [], at now: WallTime) -> ICEServerOffer {
        var offer = ICEServerOffer(servers: builtIn.isEmpty ? [] : [.init(urls: builtIn)])
        for server in self.servers { offer.add(server, for: user, at: now) }
        return offer
    }
}

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

    fileprivate mutating func add(_ server: ICEServer, for user: UserID, at now: WallTime) {
        switch server.credentials {
        case .none: self.servers.append(Server(urls: server.urls))
        case .fixed(let username, let credential):
            self.servers.append(Server(urls: server.urls, username: username, credential: credential))
        case .minted(let secret, let life):
            let made = TURNCredentials(for: user, secret: secret, life: life, at: now)
            self.servers.append(Server(urls: server.urls, username: made.username, credential: made.credential))
            self.expiry = min(self.expiry ?? made.expiry, made.expiry)
            let due = now + (life * 4 / 5)
            self.refresh = min(self.refresh ?? due, due)
        }
    }
}
