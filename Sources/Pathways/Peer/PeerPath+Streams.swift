internal import ICE
internal import Reactor
internal import Vocabulary

// TCP between peers (RFC 6544): on each address one path that dials and one that is dialled.

extension PeerPath {
    /// So many may be connected who have not shown yet that they know the password, and so many in all.
    private static var mostStrangers: Int { 8 }
    private static var mostStreams: Int { 64 }

    func openStreams(on ip: IPAddress, _ name: String?) throws(ReactorError) {
        let dialler = self.makePathID()
        self.use(DialWay(), ICEPath(dialler, transport: .tcpActive, address: SocketAddress(ip, port: 0), name: name))
        guard self.means.takesConnections else { return }
        let id = self.makePathID()
        let listener = try LoopListener(on: SocketAddress(ip, port: 0), reactor: self.reactor) { [weak self] in
            self?.accept($0, on: id)
        }
        let path = ICEPath(id, transport: .tcpPassive, address: listener.address, name: name)
        self.use(ListenWay(listener), path)
    }

    private func accept(_ connection: TCPConnection, on listener: PathID) -> StreamWay? {
        guard self.makeRoomForStranger() else { return nil }
        let way = self.take(connection, from: listener, isOurs: false)
        self.act { $0.accepted(way.id, on: listener, at: $1, into: &$2) }
        return way
    }

    /// The stranger who has been silent for the longest has to go, so that strangers cannot keep a peer out.
    private func makeRoomForStranger() -> Bool {
        let streams = self.ways.values.compactMap { $0 as? StreamWay }
        let strangers = streams.filter(\.isStrange)
        if strangers.count >= Self.mostStrangers {
            strangers.min { $0.id.rawValue < $1.id.rawValue }?.turnAway()
        }
        return streams.count < Self.mostStreams
    }

    func dial(_ peer: SocketAddress, from path: PathID) {
        guard let ip = self.paths.first(where: { $0.value.contains(path) })?.key else {
            return self.act { $0.dialed(from: path, to: peer, nil, leaving: nil, at: $1, into: &$2) }
        }
        self.reactor.connect(to: peer, from: ip, timeout: .seconds(5)) { [weak self] result in
            self?.dialled(peer, from: path, try? result.get())
        }
    }

    private func dialled(_ peer: SocketAddress, from path: PathID, _ connection: TCPConnection?) {
        guard let connection, self.ways[path] != nil, !self.isClosed else {
            connection?.abort()
            return self.act { $0.dialed(from: path, to: peer, nil, leaving: nil, at: $1, into: &$2) }
        }
        let way = self.take(connection, from: path, isOurs: true)
        connection.start(way)
        self.act { $0.dialed(from: path, to: peer, way.id, leaving: connection.local, at: $1, into: &$2) }
    }

    /// A connection goes when the address goes that it leaves from.
    private func take(_ connection: TCPConnection, from path: PathID, isOurs: Bool) -> StreamWay {
        let way = StreamWay(self.makePathID(), over: connection, isOurs: isOurs, of: self)
        self.ways[way.id] = way
        if let ip = self.paths.first(where: { $0.value.contains(path) })?.key { self.paths[ip]?.append(way.id) }
        return way
    }

    func ended(_ way: StreamWay) {
        for ip in self.paths.keys { self.paths[ip]?.removeAll { $0 == way.id } }
        self.remove(way.id)
    }
}
