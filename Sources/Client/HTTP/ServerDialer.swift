internal import HTTPServer
internal import Reactor
internal import Secure
internal import Vocabulary

/// Finds a server and opens a stream to it: looks its name up, tries its addresses one after another, and begins TLS
/// where the server wants it.
///
/// Once it is cancelled, it calls nothing any more.
final class ServerDialer {
    private let server: ServerURL
    private let rules: HTTPCallRules
    private let reactor: Reactor
    private let timeout: Duration
    private var opened: ((any ByteStream) -> any StreamHandler)?
    private var failed: ((LinkFailure) -> Void)?

    /// Calls one of the two, once: `opened` says who handles the stream.
    init(
        _ server: ServerURL, _ rules: HTTPCallRules = HTTPCallRules(), on reactor: Reactor, timeout: Duration,
        opened: @escaping (any ByteStream) -> any StreamHandler, failed: @escaping (LinkFailure) -> Void
    ) {
        self.server = server
        self.rules = rules
        self.reactor = reactor
        self.timeout = timeout
        self.opened = opened
        self.failed = failed
    }

    func start() {
        switch self.server.host {
        case .address(let ip): self.connect(toAllowedOf: [ip])
        case .name(let name): self.reactor.resolve(name) { self.resolved($0, name) }
        }
    }

    func cancel() {
        self.opened = nil
        self.failed = nil
    }

    private func resolved(_ result: Result<[IPAddress], ReactorError>, _ name: String) {
        switch result {
        case .success(let addresses) where !addresses.isEmpty: self.connect(toAllowedOf: addresses)
        case .success, .failure: self.fail(.unknownHost(name))
        }
    }

    private func connect(toAllowedOf addresses: [IPAddress]) {
        let allowed = addresses.filter { self.rules.allows($0, of: self.server) }
        guard !allowed.isEmpty else { return self.fail(.forbiddenAddress(self.server.hostText)) }
        self.connect(to: allowed[...])
    }

    private func connect(to addresses: ArraySlice<IPAddress>) {
        guard let ip = addresses.first, self.opened != nil else { return }
        let address = SocketAddress(ip, port: self.server.port)
        self.reactor.connect(to: address, timeout: self.timeout) { result in
            switch result {
            case .success(let connection): self.connected(connection)
            case .failure(let error) where addresses.count == 1: self.fail(.unreachable(error))
            case .failure: self.connect(to: addresses.dropFirst())
            }
        }
    }

    private func connected(_ connection: TCPConnection) {
        guard let opened = self.opened.take() else { return connection.abort() }
        guard self.server.isEncrypted else { return connection.start(opened(connection)) }
        do throws(SecureError) {
            try TLSStream.open(
                over: connection, self.context(), to: self.server.hostText, protocols: self.rules.protocols,
                handler: opened)
            self.failed = nil
        } catch {
            connection.abort()
            self.fail(.insecure(error))
        }
    }

    private func context() throws(SecureError) -> TLSContext {
        if let file = self.rules.authorities { return try TLSContext(clientTrusting: file) }
        return try TLSContext(clientVerifying: !self.server.trustsAnybody)
    }

    private func fail(_ failure: LinkFailure) {
        self.opened = nil
        self.failed.take()?(failure)
    }
}

extension StreamEnd {
    /// What the end of a stream means to a client.
    func failure(of stream: any ByteStream) -> LinkFailure {
        if let error = (stream as? TLSStream)?.failure { return .insecure(error) }
        guard case .failed(let error) = self else { return .closedByServer(nil) }
        return .unreachable(error)
    }
}
