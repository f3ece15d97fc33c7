internal import JSON
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
    package func offer(
        to user: UserID, in seat: RelaySeat? = nil, builtIn: [ICEServer] = [], at now: WallTime
    ) -> ICEServerOffer {
        var offer = ICEServerOffer(servers: [])
        for server in builtIn + self.servers { offer.add(server, for: user, in: seat, at: now) }
        return offer
    }
}

// MARK: - Parsing

extension ICEServerList {
    /// - Parameter environment: where `"secret": "env:NAME"` is looked up.
    package init(parsing bytes: [UInt8], environment: [String: String]) throws(ICEServerFileError) {
        guard bytes.count <= Self.maximumBytes else { throw ICEServerFileError(.tooLarge, at: "") }
        let reader = JSONReader(bytes.span)
        let document = try Self.document(of: reader)
        let top = try document.members(["iceServers"], in: reader)
        guard let list = top["iceServers"] else { throw document.fail(.missing("iceServers")) }
        let parser = ICEServerParser(environment: environment)
        var servers: [ICEServer] = []
        for place in try list.elements(limit: Self.maximumServers, in: reader) {
            servers.append(try parser.server(place, in: reader))
        }
        self.init(servers)
    }

    private static func document(of reader: borrowing JSONReader) throws(ICEServerFileError) -> JSONPlace {
        do throws(JSONError) {
            return JSONPlace(value: try reader.document(depth: 8), path: "")
        } catch {
            throw ICEServerFileError(.notJSON(offset: error.offset), at: "")
        }
    }
}

private struct ICEServerParser {
    let environment: [String: String]

    private static let names: Set = ["urls", "username", "credential", "credentialType", "secret", "ttl"]

    func server(_ place: JSONPlace, in reader: borrowing JSONReader) throws(ICEServerFileError) -> ICEServer {
        let members = try place.members(Self.names, in: reader)
        guard let urlPlace = members["urls"] else { throw place.fail(.missing("urls")) }
        let urls = try self.urls(urlPlace, in: reader)
        let credentials = try self.credentials(members, of: place, in: reader)
        let needsThem = urls.contains { $0.scheme.needsCredentials }
        guard needsThem == (credentials != .none) else {
            throw place.fail(needsThem ? .noCredentials : .uselessCredentials)
        }
        return ICEServer(urls: urls, credentials: credentials)
    }

    /// One text or an array of them.
    private func urls(_ place: JSONPlace, in reader: borrowing JSONReader) throws(ICEServerFileError) -> [ICEServerURL]
    {
        guard place.value.kind == .array else { return [try self.url(place, in: reader)] }
        var urls: [ICEServerURL] = []
        for element in try place.elements(limit: ICEServerList.maximumURLs, in: reader) {
            urls.append(try self.url(element, in: reader))
        }
        guard !urls.isEmpty else { throw place.fail(.noURL) }
        return urls
    }

    private func url(_ place: JSONPlace, in reader: borrowing JSONReader) throws(ICEServerFileError) -> ICEServerURL {
        guard let url = ICEServerURL(try place.text(in: reader)) else { throw place.fail(.wrongURL) }
        return url
    }

    private func credentials(
        _ members: [String: JSONPlace], of place: JSONPlace, in reader: borrowing JSONReader
    ) throws(ICEServerFileError) -> ICEServer.Credentials {
        if let type = members["credentialType"], try type.text(in: reader) != "password" {
            throw type.fail(.wrongKind(wanted: "\"password\""))
        }
        if let secret = members["secret"] {
            guard members["username"] == nil, members["credential"] == nil else {
                throw place.fail(.credentialsBesideSecret)
            }
            return .minted(secret: try self.secret(secret, in: reader), life: try self.life(members["ttl"], in: reader))
        }
        if let life = members["ttl"] { throw life.fail(.missing("secret")) }
        switch (members["username"], members["credential"]) {
        case (nil, nil): return .none
        case (let username?, let credential?):
            return .fixed(username: try username.text(in: reader), credential: try credential.text(in: reader))
        case (nil, _): throw place.fail(.missing("username"))
        case (_, nil): throw place.fail(.missing("credential"))
        }
    }

    private func secret(_ place: JSONPlace, in reader: borrowing JSONReader) throws(ICEServerFileError) -> [UInt8] {
        let text = try place.text(in: reader)
        guard text.hasPrefix("env:") else { return Array(text.utf8) }
        let name = String(text.dropFirst(4))
        guard let value = self.environment[name] else { throw place.fail(.noSuchVariable(name)) }
        guard !value.isEmpty else { throw place.fail(.empty) }
        return Array(value.utf8)
    }

    /// Shorter than a minute, and clients would do little else than fetch new ones.
    private func life(_ place: JSONPlace?, in reader: borrowing JSONReader) throws(ICEServerFileError) -> Duration {
        guard let place else { return TURNCredentials.maximumLifetime }
        guard let seconds = reader.integer(place.value), (60...600).contains(seconds) else {
            throw place.fail(.lifeOutOfRange)
        }
        return .seconds(seconds)
    }
}
