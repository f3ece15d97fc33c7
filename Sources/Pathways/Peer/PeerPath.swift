internal import Bytes
package import ICE
package import Reactor
package import Vocabulary

/// Who is told what becomes of the search for a path, always on its loop.
package protocol PeerPathHandler<Machine>: AnyObject {
    associatedtype Machine: ICEMachine

    func happened(_ event: ICEEvent, on path: PeerPath<Machine>)
    /// What the other peer sent. The bytes are lent for the time of the call.
    func received(_ payload: Span<UInt8>, on path: PeerPath<Machine>)
    /// A server was of no use.
    func failed(_ error: CandidateError, on path: PeerPath<Machine>)
    /// The machine has something to tell, and what it wanted has been carried out.
    func settled(_ path: PeerPath<Machine>)
}

extension PeerPathHandler {
    package func failed(_ error: CandidateError, on path: PeerPath<Machine>) {}
    package func settled(_ path: PeerPath<Machine>) {}
}

/// One ICE agent at work, or what is built around one: opens its sockets and its relays, carries its packets, tells it the
/// time.
package final class PeerPath<Machine: ICEMachine> {
    private var machine: Machine
    let reactor: Reactor
    private let settings: PeerPathSettings
    private var handler: (any PeerPathHandler<Machine>)?
    private var outbox = Outbox<ICEEvent>()
    private let deadlineTimer: DeadlineTimer
    private(set) var isClosed = false

    private var transports: [PathID: any PeerTransport] = [:]
    private var relays: [RelayTransport] = []
    /// Our addresses, each with the paths that begin there.
    private var paths: [IPAddress: [PathID]] = [:]
    private var watch: InterfaceWatch?
    private var nextPath = 0

    package init(
        _ machine: Machine, on reactor: Reactor, by settings: PeerPathSettings = PeerPathSettings(),
        handler: any PeerPathHandler<Machine>
    ) {
        self.machine = machine
        self.reactor = reactor
        self.deadlineTimer = DeadlineTimer(on: reactor)
        self.settings = settings
        self.handler = handler
    }

    /// Opens a socket on each of our addresses, and asks every server for a relay, all at the same time.
    package func start(on addresses: [IPAddress], relays: [RelayServer]) throws(ReactorError) {
        for ip in addresses { try self.open(ip) }
        for server in relays { self.open(server) }
        self.noticeEndOfPaths()
    }

    /// The same on all addresses that this machine has, for as long as it has them.
    package func start(following watch: InterfaceWatch, relays: [RelayServer]) {
        self.watch = watch
        watch.add(self)
        for server in relays { self.open(server) }
        self.noticeEndOfPaths()
    }

    package func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.act { $0.close(at: $1, into: &$2) }
        self.handler = nil
        self.watch.take()?.remove(self)
        for transport in self.transports.values { transport.close() }
        for relay in self.relays { relay.close() }
        (self.transports, self.relays) = ([:], [])
        for ip in self.paths.keys { self.settings.publisher?.withdraw(ip) }
        self.paths = [:]
    }

    func makePathID() -> PathID {
        defer { self.nextPath += 1 }
        return PathID(rawValue: self.nextPath)
    }
}

// MARK: - What the agent wants

extension PeerPath: DeadlineTimerOwner {
    func deadlineReached() { self.act { $0.clockAdvanced(to: $1, into: &$2) } }

    /// Looks at the machine, or takes what it has to tell; nothing is carried out.
    package func inspect<Result>(_ body: (inout Machine) -> Result) -> Result { body(&self.machine) }

    // Where it lies: a call is large, and a copy of it for each packet costs more than the packet.
    private static func hasNews(_ machine: inout Machine) -> Bool { machine.hasNews }

    /// Lets something be done to the machine, and carries out what it wants then.
    package func act<Result, Failure: Error>(
        _ body: (inout Machine, Instant, inout Outbox<ICEEvent>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { self.carryOut() }
        return try body(&self.machine, SteadyClock.now, &self.outbox)
    }

    private func carryOut() {
        // Moved out while it is carried out: a handler may call back at once.
        var due = Outbox<ICEEvent>()
        swap(&due, &self.outbox)
        for packet in due.packets.packets {
            due.packets.withBytes(of: packet) { self.send($0, on: packet.path, to: packet.destination) }
        }
        for event in due.events { self.carryOut(event) }
        due.removeAll()
        if self.outbox.isEmpty { swap(&due, &self.outbox) }
        self.deadlineTimer.set(self.machine.findDeadline(), for: self)
        if Self.hasNews(&self.machine) { self.handler?.settled(self) }
    }

    private func send(_ packet: Span<UInt8>, on path: PathID, to peer: SocketAddress) {
        guard let impairment = self.settings.impairment else {
            self.transports[path]?.send(packet, to: peer)
            return
        }
        var random = SystemRandomNumberGenerator()
        guard let delay = impairment.delay(using: &random) else { return }
        let late = [UInt8](copying: packet)
        self.reactor.schedule(after: delay) { [weak self] in self?.transports[path]?.send(late.span, to: peer) }
    }

    private func carryOut(_ event: ICEEvent) {
        switch event {
        case .peerExpected(let path, let peer): (self.transports[path] as? RelayTransport)?.permit(peer.ip)
        case .selected(let path, let remote):
            (self.transports[path] as? RelayTransport)?.bindChannel(to: remote)
            self.handler?.happened(event, on: self)
        case .dial(let path, let peer): self.dial(peer, from: path)
        case .resolve(let name): self.resolve(name)
        case .candidate(let candidate):
            self.renameRegistrations(candidate.usernameFragment)
            self.handler?.happened(event, on: self)
        case .serverSilent(let server):
            self.handler?.happened(event, on: self)
            self.failed(CandidateError(.stun, silent: server))
        case .candidatesEnded, .stateChanged, .roleChanged: self.handler?.happened(event, on: self)
        }
    }

    func failed(_ error: CandidateError) { self.handler?.failed(error, on: self) }

    func noticeEndOfPaths() {
        guard self.relays.allSatisfy(\.isSettled) else { return }
        self.act { $0.pathsEnded(at: $1, into: &$2) }
    }

    @discardableResult
    func received(_ bytes: Span<UInt8>, on path: PathID, from peer: SocketAddress) -> ICEReceipt {
        let receipt = self.machine.received(bytes, on: path, from: peer, at: SteadyClock.now, into: &self.outbox)
        self.carryOut()
        if receipt == .data { self.handler?.received(bytes, on: self) }
        return receipt
    }
}

// MARK: - Transports
//
// From where packets leave: an address of ours with all that is open there, and relays.

extension PeerPath: InterfaceFollower {
    /// Begins to use an address of ours, over every transport that is wanted.
    private func open(_ ip: IPAddress) throws(ReactorError) {
        guard self.paths[ip] == nil else { return }
        self.paths[ip] = []
        let name = self.settings.publisher?.publish(ip)
        do throws(ReactorError) {
            if self.settings.speaksUDP { try self.openSocket(on: ip, name) }
            if self.settings.speaksTCP { try self.openStreams(on: ip, name) }
        } catch {
            self.leave(ip)
            throw error
        }
    }

    private func openSocket(on ip: IPAddress, _ name: String?) throws(ReactorError) {
        let id = self.makePathID()
        guard let transport = try self.settings.sockets?.transport(id, on: ip, of: self) else {
            return try self.openOwnSocket(id, on: ip, name)
        }
        self.use(transport, ICEPath(id, address: transport.address, name: name))
    }

    private func openOwnSocket(_ id: PathID, on ip: IPAddress, _ name: String?) throws(ReactorError) {
        let transport = try DatagramTransport(id, on: ip, of: self)
        self.use(transport, ICEPath(id, address: transport.address, name: name))
    }

    /// The path that is shared stays: it may do for another address of theirs.
    func needsOwnSocket(on ip: IPAddress) {
        guard !self.isClosed, self.paths[ip] != nil else { return }
        try? self.openOwnSocket(self.makePathID(), on: ip, self.settings.publisher?.name(of: ip))
    }

    /// They have to know us by the name that holds now.
    private func renameRegistrations(_ usernameFragment: String?) {
        guard self.settings.sockets != nil, let name = usernameFragment else { return }
        for transport in self.transports.values { (transport as? SharedTransport)?.rename(to: name) }
    }

    /// Puts something to work that was opened on an address of ours.
    private func use(_ transport: any PeerTransport, _ path: ICEPath) {
        self.transports[path.id] = transport
        self.paths[path.address.ip, default: []].append(path.id)
        self.added(path)
    }

    /// The address is not ours any more.
    private func leave(_ ip: IPAddress) {
        for path in self.paths.removeValue(forKey: ip) ?? [] { self.remove(path) }
        self.settings.publisher?.withdraw(ip)
    }

    private func remove(_ path: PathID) {
        self.transports.removeValue(forKey: path)?.close()
        self.removed(path)
    }

    private func open(_ server: RelayServer) {
        let transport = RelayTransport(server, of: self)
        self.relays.append(transport)
        for path in transport.paths { self.transports[path] = transport }
        transport.start()
    }

    /// An address that is there but cannot be used yet, such as one whose owner is still being asked for, is tried again
    /// the next time.
    package func addressesAre(_ addresses: [InterfaceAddress]) {
        guard !self.isClosed else { return }
        let usable = addresses.filter(\.reachesOthers).map(\.ip)
        for ip in self.paths.keys where !usable.contains(ip) { self.leave(ip) }
        for ip in usable.prefix(Self.maximumAddresses) { try? self.open(ip) }
    }

    private static var maximumAddresses: Int { 16 }
}

// MARK: - TCP (RFC 6544)
//
// TCP between peers (RFC 6544): on each address one path that dials and one that is dialled.

extension PeerPath {
    /// So many may be connected who have not shown yet that they know the password, and so many in all.
    private static var maximumUnverifiedStreams: Int { 8 }
    private static var maximumStreams: Int { 64 }

    private func openStreams(on ip: IPAddress, _ name: String?) throws(ReactorError) {
        let dialler = self.makePathID()
        self.use(
            TCPActiveTransport(),
            ICEPath(dialler, transport: .tcpActive, address: SocketAddress(ip, port: 0), name: name))
        guard self.settings.takesConnections else { return }
        let id = self.makePathID()
        let listener = try LoopListener(on: SocketAddress(ip, port: 0), reactor: self.reactor) { [weak self] in
            self?.accept($0, on: id)
        }
        let path = ICEPath(id, transport: .tcpPassive, address: listener.address, name: name)
        self.use(TCPPassiveTransport(listener), path)
    }

    private func accept(_ connection: TCPConnection, on listener: PathID) -> StreamTransport? {
        guard self.makeRoomForUnverified() else { return nil }
        let transport = self.take(connection, from: listener, isOurs: false)
        self.act { $0.accepted(transport.id, on: listener, at: $1, into: &$2) }
        return transport
    }

    /// The stranger who has been silent for the longest has to go, so that unverified cannot keep a peer out.
    private func makeRoomForUnverified() -> Bool {
        let streams = self.transports.values.compactMap { $0 as? StreamTransport }
        let unverified = streams.filter(\.isUnverified)
        if unverified.count >= Self.maximumUnverifiedStreams {
            unverified.min { $0.id.rawValue < $1.id.rawValue }?.reject()
        }
        return streams.count < Self.maximumStreams
    }

    private func dial(_ peer: SocketAddress, from path: PathID) {
        guard let ip = self.paths.first(where: { $0.value.contains(path) })?.key else {
            return self.act { $0.dialed(from: path, to: peer, nil, leaving: nil, at: $1, into: &$2) }
        }
        self.reactor.connect(to: peer, from: SocketAddress(ip, port: 0), timeout: .seconds(5)) { [weak self] result in
            self?.dialled(peer, from: path, try? result.get())
        }
    }

    private func dialled(_ peer: SocketAddress, from path: PathID, _ connection: TCPConnection?) {
        guard let connection, self.transports[path] != nil, !self.isClosed else {
            connection?.abort()
            return self.act { $0.dialed(from: path, to: peer, nil, leaving: nil, at: $1, into: &$2) }
        }
        let transport = self.take(connection, from: path, isOurs: true)
        connection.start(transport)
        self.act { $0.dialed(from: path, to: peer, transport.id, leaving: connection.local, at: $1, into: &$2) }
    }

    /// A connection goes when the address goes that it leaves from.
    private func take(_ connection: TCPConnection, from path: PathID, isOurs: Bool) -> StreamTransport {
        let transport = StreamTransport(self.makePathID(), over: connection, isOurs: isOurs, of: self)
        self.transports[transport.id] = transport
        if let ip = self.paths.first(where: { $0.value.contains(path) })?.key { self.paths[ip]?.append(transport.id) }
        return transport
    }

    func ended(_ transport: StreamTransport) {
        for ip in self.paths.keys { self.paths[ip]?.removeAll { $0 == transport.id } }
        self.remove(transport.id)
    }
}

// MARK: - Names
//
// `.local` names of theirs. Ours are made where an address begins to be used.

extension PeerPath {
    private func resolve(_ name: String) {
        guard let names = self.settings.resolver else {
            return self.act { $0.nameResolved(name, nil, at: $1, into: &$2) }
        }
        names.resolve(name) { [weak self] ip in self?.act { $0.nameResolved(name, ip, at: $1, into: &$2) } }
    }
}

// MARK: - An agent alone
//
// An agent alone, whose user has packets of its own.

extension PeerPath where Machine == ICEAgent {
    package var snapshot: ICESnapshot { self.inspect { $0.snapshot } }

    package func remoteDescribed(_ credentials: ICECredentials, isLite: Bool = false) {
        self.act { $0.remoteDescribed(credentials, isLite: isLite, at: $1, into: &$2) }
    }

    package func candidateReceived(_ candidate: ICECandidate) {
        self.act { $0.candidateReceived(candidate, at: $1, into: &$2) }
    }

    package func remoteCandidatesEnded() { self.act { $0.remoteCandidatesEnded(at: $1, into: &$2) } }

    /// New credentials, while packets still go the old way.
    package func restart(_ credentials: ICECredentials) { self.act { $0.restart(credentials, at: $1, into: &$2) } }

    /// False when there is no path, or none that they still want to be sent to on.
    @discardableResult
    package func send(_ payload: Span<UInt8>) -> Bool {
        self.act { $0.send(payload, at: $1, into: &$2) }
    }
}

extension PeerPath {
    /// Over what the packets of a path travel; nil when it is gone.
    package func kind(of path: PathID) -> PeerTransportKind? { self.transports[path]?.kind }
}
