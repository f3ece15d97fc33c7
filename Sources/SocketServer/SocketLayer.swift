internal import Bytes
internal import Reactor
internal import Sessions
internal import SocketIO
internal import Vocabulary

/// Socket.IO on one session: its packets, and the sockets of its namespaces.
final class SocketLayer: EngineLayer {
    private(set) var sockets: [Socket] = []
    /// Where the client has knocked and was not answered yet.
    private var arriving: [Namespace] = []
    /// How often the client was let in, and turned away.
    private var connects = 0
    private var refusals = 0
    private let sessions: SocketSessions
    private var assembler: SocketPacketAssembler
    /// Runs until the client has connected to a namespace.
    private var connectTimer: TimerToken?

    init(_ sessions: SocketSessions, version: EngineVersion, policy: LinkPolicy) {
        self.sessions = sessions
        self.assembler = SocketPacketAssembler(limits: policy.packetLimits)
        // Old clients have knocked there by coming at all.
        if version == .v3 { self.arriving = [.main] }
    }

    /// Revision 4, which speaks over Engine.IO 3, connects every client to the main namespace without being asked. Of the
    /// others it is expected that they ask before long.
    func opened(on link: EngineLink) {
        defer {
            if link.version == .v3 {
                self.sessions.application.arrived(SocketArrival(.main, auth: [], on: link, layer: self))
            }
        }
        self.connectTimer = self.sessions.clock.schedule(after: self.sessions.settings.connectTimeout) {
            self.connectTimer = nil
            link.close(.forcedClose)
        }
    }

    private func stopWaiting() {
        if let timer = self.connectTimer.take() { self.sessions.clock.cancel(timer) }
    }

    func pinged() { for socket in self.sockets { socket.pingSent() } }
    func ponged() { for socket in self.sockets { socket.pongReceived() } }

    func ended(_ reason: EngineEnd) {
        self.stopWaiting()
        let sockets = self.sockets
        self.sockets = []
        for socket in sockets { socket.linkEnded(reason) }
    }

    func makeSocket(in namespace: Namespace, on link: EngineLink, mayReturn: Bool) -> Socket {
        let id = link.policy.sharesSessionID && namespace.isMain ? link.sid : self.sessions.newSocketID()
        let socket = Socket(id, namespace, on: link, layer: self, sessions: self.sessions, mayReturn: mayReturn)
        self.connects += 1
        self.add(socket, on: link)
        return socket
    }

    func add(_ socket: Socket, on link: EngineLink) {
        self.stopWaiting()
        link.admit()
        self.sockets.append(socket)
    }

    func remove(_ socket: Socket) { self.sockets.removeAll { $0 === socket } }
}

// MARK: - Packets

extension SocketLayer {
    func received(_ message: Span<UInt8>, isText: Bool, on link: EngineLink) -> Bool {
        do throws(SocketPacketError) {
            let outcome =
                isText ? try self.assembler.received(text: message) : try self.assembler.received(binary: message)
            switch outcome {
            // Attachments are for those who were let in.
            case .waiting: return !self.sockets.isEmpty
            case .packet(let packet): return self.take(packet, message, attachments: [], on: link)
            case .assembled(let whole):
                return self.take(
                    whole.packet, whole.source.span, attachments: whole.attachments, on: link)
            }
        } catch {
            return false
        }
    }

    private func take(
        _ packet: SocketPacket, _ bytes: Span<UInt8>, attachments: [[UInt8]], on link: EngineLink
    ) -> Bool {
        if packet.kind == .connect { return self.connect(packet, bytes, on: link) }
        // Between its CONNECT and our answer to it a client may not speak.
        guard let socket = self.sockets.first(where: { $0.namespace == packet.namespace }) else { return false }
        switch packet.kind {
        case .event, .binaryEvent:
            return self.deliver(packet, bytes, attachments: attachments, from: socket)
        case .ack, .binaryAck:
            guard let ackID = packet.ackID else { return false }
            let copy = [UInt8](copying: bytes)
            let answer = SocketAnswer(bytes: copy, arguments: packet.arguments, attachments: attachments)
            socket.received(answer: answer, to: ackID)
            return true
        case .disconnect:
            socket.disconnected()
            return true
        case .connect, .connectError: return false
        }
    }

    private func deliver(
        _ packet: SocketPacket, _ bytes: Span<UInt8>, attachments: [[UInt8]], from socket: Socket
    ) -> Bool {
        guard let name = packet.name else { return false }
        let event = SocketEvent(
            name: name, arguments: packet.arguments, argumentCount: packet.argumentCount, ackID: packet.ackID,
            attachments: attachments, placeholders: packet.placeholders)
        self.sessions.application.received(event, bytes, from: socket)
        return true
    }
}

// MARK: - Arrivals

extension SocketLayer {
    func answered(_ arrival: SocketArrival) { self.arriving = self.arriving.filter { $0 != arrival.namespace } }

    /// A client that is turned away again and again has nothing else in mind. Old ones ask only once, and have until the end
    /// of their time to understand the answer.
    func refused(on link: EngineLink) {
        self.refusals += 1
        if self.refusals >= self.sessions.settings.maximumRefusals { link.close(.forcedClose) }
    }

    private func connect(_ packet: SocketPacket, _ bytes: Span<UInt8>, on link: EngineLink) -> Bool {
        let namespace = packet.namespace
        // Who asks twice is answered once.
        guard !self.arriving.contains(namespace) else { return true }
        guard self.connects < self.sessions.settings.maximumConnects,
            !self.sockets.contains(where: { $0.namespace == namespace })
        else { return false }
        let auth = [UInt8](copying: bytes.extracting(packet.payload))
        let arrival = SocketArrival(namespace, auth: auth, on: link, layer: self)
        guard self.sessions.settings.namespaces.contains(namespace) else {
            arrival.refuse("Invalid namespace")
            return true
        }
        if let request = RecoveryRequest(packet, in: bytes),
            self.takeUp(request, arrival, on: link) || self.fetch(request, arrival, on: link)
        {
            return true
        }
        self.arriving.append(namespace)
        self.sessions.application.arrived(arrival)
        return true
    }

    /// A client may come back under the old name only with everything that was missed; else it is a fresh start.
    private func takeUp(_ request: RecoveryRequest, _ arrival: SocketArrival, on link: EngineLink) -> Bool {
        guard let socket = self.sessions.place(for: request.key), socket.namespace == arrival.namespace else {
            return false
        }
        if let reason = self.sessions.application.mayReturn(socket, arrival) {
            socket.disconnect()
            arrival.refuse(reason)
            return true
        }
        return socket.resume(on: link, self, from: request.position)
    }

    /// Another node may keep the place.
    private func fetch(_ request: RecoveryRequest, _ arrival: SocketArrival, on link: EngineLink) -> Bool {
        guard arrival.namespace.isMain, link.version == .v4, let window = self.sessions.settings.recoveryWindow else {
            return false
        }
        let isAsked = self.sessions.application.fetchPlace(request.key) { [self] place in
            guard let place else { return self.sessions.application.arrived(arrival) }
            let socket = Socket(place, for: arrival, sessions: self.sessions, window: window)
            self.goOn(socket, place, from: request.position, arrival, on: link)
        }
        if isAsked { self.arriving.append(arrival.namespace) }
        return isAsked
    }

    private func goOn(
        _ socket: Socket, _ place: HandedPlace, from position: RecoveryRequest.Position, _ arrival: SocketArrival,
        on link: EngineLink
    ) {
        if let reason = self.sessions.application.tookOver(socket, place, arrival) {
            socket.disconnect()
            return arrival.refuse(reason)
        }
        // Else it waits here for its client.
        guard !link.isOver else { return }
        if socket.resume(on: link, self, from: position) {
            self.answered(arrival)
        } else {
            self.sessions.application.arrived(arrival)
        }
    }
}
