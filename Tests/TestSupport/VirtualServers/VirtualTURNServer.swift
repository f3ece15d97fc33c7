import Bytes
package import STUN
package import Vocabulary

/// A TURN server on the virtual network, over UDP and TCP, with a temper that tests choose.
package final class VirtualTURNServer: VirtualDatagramHandler {
    /// What it demands and what it grants.
    package struct Temper {
        package var realm = "lab.example"
        /// The password of a name, if it is known.
        package var password: (String) -> String? = { $0 == "user" ? "pass" : nil }
        /// Whether it asks for SHA-256 (RFC 8489) or for what everybody understands.
        package var isModern = false
        package var families: Set<STUNAddressFamily> = [.ipv4, .ipv6]
        /// Whether one allocation may have two families (RFC 8656).
        package var grantsBoth = true
        package var maximumLifetime = Duration.seconds(600)
        /// Every request after so long needs a new nonce.
        package var nonceLife: Duration?
        package var transports: Set<UInt8> = [17]
        package var quota = Int.max
        package var capacity = Int.max
        /// Sends everybody there.
        package var alternate: SocketAddress?
        /// Relays nothing to these.
        package var forbidden: Set<IPAddress> = []
        package var isSilent = false

        package init() {}
    }

    /// Whom it talks with: the five things by which connections differ.
    struct Client: Hashable {
        let address: SocketAddress
        let server: SocketAddress
        let isStream: Bool
    }

    package let host: VirtualHost
    package let network: VirtualNetwork
    package var temper: Temper
    /// How often each answer was given, by its code; successes count as 200.
    package private(set) var answerCounts: [Int: Int] = [:]
    var allocations: [Client: VirtualAllocation] = [:]
    private(set) var nonce = ""
    private var nonceUntil = Instant(nanoseconds: .max)
    private var random: SeededRandom
    private var sockets: [SocketAddress: VirtualSocket] = [:]
    private var streams: [Client: VirtualTURNStream] = [:]

    package init(
        on host: VirtualHost, of network: VirtualNetwork, port: UInt16 = 3478, temper: Temper = Temper()
    ) throws(VirtualSocketError) {
        self.host = host
        self.network = network
        self.temper = temper
        self.random = network.makeRandom()
        self.changeNonce()
        for ip in host.addresses {
            let place = SocketAddress(ip, port: port)
            self.sockets[place] = try host.bind(place, self)
            host.listen(on: place) { [unowned self] in self.accepted($0) }
        }
    }

    var places: [SocketAddress] { Array(self.sockets.keys) }

    package var allocationCount: Int { self.allocations.values.filter { !$0.isOver }.count }

    /// As after a restart: nobody is known any more, and no nonce.
    package func forgetEverything() {
        for allocation in self.allocations.values { allocation.close() }
        self.allocations = [:]
        self.changeNonce()
    }

    package func changeNonce() {
        let rest = String(self.random.next(), radix: 36)
        self.nonce = self.temper.isModern ? STUNSecurityFeatures.passwordAlgorithms.nonce(rest) : rest
        self.nonceUntil = self.temper.nonceLife.map { self.network.now + $0 } ?? Instant(nanoseconds: .max)
    }

    package func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket) {
        self.received(datagram, from: Client(address: peer, server: socket.address, isStream: false))
    }

    private func accepted(_ stream: VirtualStream) -> any VirtualStreamHandler {
        let client = Client(address: stream.peer, server: stream.address, isStream: true)
        let handler = VirtualTURNStream(stream, client, self)
        self.streams[client] = handler
        return handler
    }

    func ended(_ client: Client) {
        self.streams[client] = nil
        self.allocations.removeValue(forKey: client)?.close()
    }
}

// MARK: - Reading

extension VirtualTURNServer {
    func received(_ bytes: [UInt8], from client: Client) {
        guard !self.temper.isSilent, let first = bytes.first else { return }
        if first >> 6 == 1 {
            if let data = try? ChannelData(parsing: bytes.span) {
                self.live(client)?.relay([UInt8](copying: data.payload), on: data.channel)
            }
            return
        }
        guard let message = try? STUNMessage(parsing: bytes.span) else { return }
        switch message.type.class {
        case .request: self.asked(message, by: client)
        case .indication: self.indicated(message, by: client)
        case .success, .error: return
        }
    }

    private func indicated(_ message: STUNMessage, by client: Client) {
        guard message.type.method == STUNMethod.send, let peer = message.address(of: .xorPeerAddress),
            let data = message.value(of: .data)
        else { return }
        self.live(client)?.relay([UInt8](copying: data), to: peer)
    }

    func live(_ client: Client) -> VirtualAllocation? {
        guard let allocation = self.allocations[client] else { return nil }
        guard allocation.isOver else { return allocation }
        self.allocations[client] = nil
        allocation.close()
        return nil
    }

    private func asked(_ message: STUNMessage, by client: Client) {
        if message.type.method == STUNMethod.binding {
            return self.succeed(message, client, nil) { $0.append(.xorMappedAddress, client.address) }
        }
        if let alternate = self.temper.alternate, message.type.method == STUNMethod.allocate {
            return self.refuse(.tryAlternate, message, client, nil) { $0.append(.alternateServer, alternate) }
        }
        guard let name = message.text(of: .username), let nonce = message.text(of: .nonce), message.hasIntegrity else {
            return self.challenge(.unauthenticated, message, client)
        }
        if self.nonceUntil <= self.network.now { self.changeNonce() }
        guard nonce == self.nonce else { return self.challenge(.staleNonce, message, client) }
        guard let key = self.key(of: name, for: message), message.isAuthentic(key) else {
            return self.challenge(.unauthenticated, message, client)
        }
        if let allocation = self.live(client), allocation.owner != name {
            return self.refuse(.wrongCredentials, message, client, key)
        }
        switch message.type.method {
        case STUNMethod.allocate: self.allocate(message, for: name, client, key)
        case STUNMethod.refresh: self.refresh(message, client, key)
        case STUNMethod.createPermission: self.permit(message, client, key)
        case STUNMethod.channelBind: self.bindChannel(message, client, key)
        default: self.refuse(.badRequest, message, client, key)
        }
    }

    private func key(of name: String, for message: STUNMessage) -> STUNKey? {
        guard message.text(of: .realm) == self.temper.realm, let password = self.temper.password(name) else {
            return nil
        }
        let algorithm = message.passwordAlgorithm.flatMap(STUNPasswordAlgorithm.init(rawValue:)) ?? .md5
        guard !self.temper.isModern || algorithm == .sha256 else { return nil }
        return STUNKey(longTerm: name, realm: self.temper.realm, password: password, algorithm: algorithm)
    }
}

// MARK: - Answering

extension VirtualTURNServer {
    func succeed(
        _ request: STUNMessage, _ client: Client, _ key: STUNKey?, _ body: (inout STUNWriter) -> Void = { _ in }
    ) {
        var writer = STUNWriter(.success, to: request.header)
        body(&writer)
        self.answerCounts[200, default: 0] += 1
        self.finish(writer, client, key)
    }

    func refuse(
        _ code: STUNErrorCode, _ request: STUNMessage, _ client: Client, _ key: STUNKey?,
        _ body: (inout STUNWriter) -> Void = { _ in }
    ) {
        var writer = STUNWriter(.error, to: request.header)
        writer.append(code, reason: "because")
        body(&writer)
        self.answerCounts[code.rawValue, default: 0] += 1
        self.finish(writer, client, key)
    }

    private func challenge(_ code: STUNErrorCode, _ request: STUNMessage, _ client: Client) {
        self.refuse(code, request, client, nil) { writer in
            writer.append(.realm, text: self.temper.realm)
            writer.append(.nonce, text: self.nonce)
            if self.temper.isModern { writer.append(passwordAlgorithms: [2, 1]) }
        }
    }

    private func finish(_ writer: consuming STUNWriter, _ client: Client, _ key: STUNKey?) {
        if let key {
            if self.temper.isModern { writer.appendIntegritySHA256(key) } else { writer.appendIntegrity(key) }
        }
        self.send(writer.finish().bytes, to: client)
    }

    func send(_ bytes: [UInt8], to client: Client) {
        if client.isStream {
            self.streams[client]?.stream.write(bytes)
        } else {
            self.sockets[client.server]?.send(bytes, to: client.address)
        }
    }
}

/// The server's end of a TCP connection: finds the messages in it.
final class VirtualTURNStream: VirtualStreamHandler {
    let stream: VirtualStream
    private let client: VirtualTURNServer.Client
    private unowned let server: VirtualTURNServer
    private var partial: [UInt8] = []

    init(_ stream: VirtualStream, _ client: VirtualTURNServer.Client, _ server: VirtualTURNServer) {
        self.stream = stream
        self.client = client
        self.server = server
    }

    func connected(_ stream: VirtualStream) {}

    func received(_ bytes: [UInt8], on stream: VirtualStream) {
        self.partial += bytes
        while let length = try? STUNFraming.length(of: self.partial.span), length <= self.partial.count {
            self.server.received(Array(self.partial.prefix(length)), from: self.client)
            self.partial.removeFirst(length)
        }
    }

    func ended(_ stream: VirtualStream) { self.server.ended(self.client) }
}
