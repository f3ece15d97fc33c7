internal import ICE
package import Reactor
internal import Vocabulary

// From where packets leave: an address of ours with all that is open there, and relays.

extension PeerPath: InterfaceFollower {
    /// Begins to use an address of ours, in every way that is wanted.
    func open(_ ip: IPAddress) throws(ReactorError) {
        guard self.paths[ip] == nil else { return }
        self.paths[ip] = []
        let name = self.means.publisher?.publish(ip)
        do throws(ReactorError) {
            if self.means.speaksUDP { try self.openSocket(on: ip, name) }
            if self.means.speaksTCP { try self.openStreams(on: ip, name) }
        } catch {
            self.leave(ip)
            throw error
        }
    }

    private func openSocket(on ip: IPAddress, _ name: String?) throws(ReactorError) {
        let id = self.makePathID()
        guard let way = try self.means.sockets?.way(id, on: ip, of: self) else {
            return try self.openOwnSocket(id, on: ip, name)
        }
        self.use(way, ICEPath(id, address: way.address, name: name))
    }

    private func openOwnSocket(_ id: PathID, on ip: IPAddress, _ name: String?) throws(ReactorError) {
        let way = try DatagramWay(id, on: ip, of: self)
        self.use(way, ICEPath(id, address: way.address, name: name))
    }

    /// The path that is shared stays: it may do for another address of theirs.
    func needsOwnSocket(on ip: IPAddress) {
        guard !self.isClosed, self.paths[ip] != nil else { return }
        try? self.openOwnSocket(self.makePathID(), on: ip, self.means.publisher?.name(of: ip))
    }

    /// They have to know us by the name that holds now.
    func renameSeats(_ usernameFragment: String?) {
        guard self.means.sockets != nil, let name = usernameFragment else { return }
        for way in self.ways.values { (way as? SharedWay)?.rename(to: name) }
    }

    /// Puts something to work that was opened on an address of ours.
    func use(_ way: any PeerWay, _ path: ICEPath) {
        self.ways[path.id] = way
        self.paths[path.address.ip, default: []].append(path.id)
        self.added(path)
    }

    /// The address is not ours any more.
    func leave(_ ip: IPAddress) {
        for path in self.paths.removeValue(forKey: ip) ?? [] { self.remove(path) }
        self.means.publisher?.withdraw(ip)
    }

    func remove(_ path: PathID) {
        self.ways.removeValue(forKey: path)?.close()
        self.removed(path)
    }

    func open(_ server: RelayServer) {
        let way = RelayWay(server, of: self)
        self.relays.append(way)
        for path in way.paths { self.ways[path] = way }
        way.start()
    }

    /// An address that is there but cannot be used yet, such as one whose owner is still being asked for, is tried again
    /// the next time.
    package func addressesAre(_ addresses: [InterfaceAddress]) {
        guard !self.isClosed else { return }
        let usable = addresses.filter(\.reachesOthers).map(\.ip)
        for ip in self.paths.keys where !usable.contains(ip) { self.leave(ip) }
        for ip in usable.prefix(Self.mostAddresses) { try? self.open(ip) }
    }

    private static var mostAddresses: Int { 16 }
}
