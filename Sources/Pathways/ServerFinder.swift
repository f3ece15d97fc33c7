package import ICE
package import ICEServers
package import Reactor
package import Vocabulary

/// A STUN or TURN server from a list: its URL and our credentials.
package struct AdvisedServer: Hashable, Sendable {
    package let url: ICEServerURL
    package let account: TURNAccount?

    package init(_ url: ICEServerURL, account: TURNAccount? = nil) {
        self.url = url
        self.account = account
    }
}

/// The servers of one call, found: addresses to be asked for ours, and relays.
package struct FoundServers: Sendable {
    package var stun: [SocketAddress] = []
    package var relays: [RelayServer] = []

    package init() {}
}

/// Finds the addresses of servers that are known by name, all at the same time and for no longer than it is worth: a call
/// does not wait for a name that does not resolve.
package final class ServerFinder {
    private let servers: [AdvisedServer]
    private let reactor: Reactor
    private let trustsAnybody: Bool
    private var done: ((FoundServers) -> Void)?
    private var addresses: [String: [IPAddress]] = [:]
    private var left = 0
    private var timer: TimerToken?

    /// So many of each kind: more do not make a call better.
    private static let maximumServers = 6
    /// Of a longer list the others are not even looked up.
    private static let maximumListed = 24

    package init(of servers: [AdvisedServer], trustingAnybody: Bool = false, on reactor: Reactor) {
        self.servers = Array(servers.prefix(Self.maximumListed))
        self.trustsAnybody = trustingAnybody
        self.reactor = reactor
    }

    /// Calls `done` once, on the loop and not before this returns.
    package func find(within timeout: Duration = .seconds(2), done: @escaping (FoundServers) -> Void) {
        self.done = done
        self.timer = self.reactor.schedule(after: timeout) { self.finish() }
        let hosts = Set(self.servers.map(\.url.host))
        self.left = hosts.count
        if hosts.isEmpty { self.reactor.schedule(after: .zero) { self.finish() } }
        for host in hosts { self.resolve(host) }
    }

    private func resolve(_ host: String) {
        if let ip = IPAddress(host) {
            self.reactor.schedule(after: .zero) { self.found(host, [ip]) }
        } else {
            self.reactor.resolve(host) { self.found(host, (try? $0.get()) ?? []) }
        }
    }

    private func found(_ host: String, _ addresses: [IPAddress]) {
        self.addresses[host] = addresses
        self.left -= 1
        if self.left == 0 { self.finish() }
    }

    private func finish() {
        guard let done = self.done.take() else { return }
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        var found = FoundServers()
        for server in self.servers { self.add(server, to: &found) }
        found.stun = Array(found.stun.prefix(Self.maximumServers))
        found.relays = Array(found.relays.prefix(Self.maximumServers))
        done(found)
    }

    private func add(_ server: AdvisedServer, to found: inout FoundServers) {
        let target = SurveyTarget(server.url, account: server.account)
        let known = self.addresses[server.url.host] ?? []
        // The best address of each family.
        let best = [known.first { $0.isV4 }, known.first { !$0.isV4 }].compactMap(\.self)
        guard server.url.scheme.needsCredentials else {
            // Over a stream a server cannot see the mapping of our datagrams.
            guard target.transports.contains(.udp) else { return }
            found.stun += best.map { SocketAddress($0, port: target.port(for: .udp)) }
            return
        }
        guard let account = server.account, let ip = best.first, let transport = target.transports.first else { return }
        let trust = ServerTrust(name: server.url.host, isBlind: self.trustsAnybody)
        found.relays.append(
            RelayServer(SocketAddress(ip, port: target.port(for: transport)), transport, account, trust))
    }
}

extension IPAddress {
    fileprivate var isV4: Bool {
        if case .v4 = self { return true }
        return false
    }
}
