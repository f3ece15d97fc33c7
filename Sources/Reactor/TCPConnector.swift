internal import CSockets
internal import CUV
package import Vocabulary

extension Reactor {
    /// Opens a connection and tells `completion` how that went, once, on this loop and never within the call.
    ///
    /// - Parameter source: the address of ours that it leaves from, where that matters; with a port that is shared with a listener.
    package func connect(
        to address: SocketAddress,
        from source: SocketAddress? = nil,
        timeout: Duration = .seconds(15),
        completion: @escaping (Result<TCPConnection, ReactorError>) -> Void
    ) {
        do throws(ReactorError) {
            let fd = try Self.openStream(to: address, from: source)
            try TCPConnector(fd, to: address, on: self, completion).start(timeout)
        } catch {
            self.schedule(after: .zero) { completion(.failure(error)) }
        }
    }

    private static func openStream(to address: SocketAddress, from source: SocketAddress?) throws(ReactorError)
        -> Int32
    {
        guard let source else { return try SystemSocket.open(address, type: SystemSocket.stream, for: .connect) }
        return try SystemSocket.bound(
            to: source, type: SystemSocket.stream, isShared: source.port != 0, for: .connect)
    }
}

/// One attempt to connect. It lives until it succeeded, failed or ran out of time.
@safe final class TCPConnector: SocketWatch {
    private let address: SocketAddress
    private var completion: ((Result<TCPConnection, ReactorError>) -> Void)?
    private var timer: TimerToken?

    init(
        _ fd: Int32, to address: SocketAddress, on reactor: Reactor,
        _ completion: @escaping (Result<TCPConnection, ReactorError>) -> Void
    ) throws(ReactorError) {
        self.address = address
        self.completion = completion
        try super.init(fd, on: reactor)
    }

    func start(_ timeout: Duration) {
        self.timer = self.reactor.schedule(after: timeout) { self.fail(UV_ETIMEDOUT.rawValue) }
        var system = SystemAddress(self.address)
        let code = unsafe system.withSockaddr { unsafe CSockets.connect(self.fd, $0, $1) }
        let error = code == 0 ? 0 : SystemSocket.lastError
        guard error == 0 || error == -EINPROGRESS || error == UV_EINTR.rawValue else {
            self.reactor.schedule(after: .zero) { self.fail(error) }
            return
        }
        self.watch(readable: false, writable: true)
    }

    override func readable() { self.settle() }
    override func writable() { self.settle() }

    private func settle() {
        let code = SystemSocket.pendingError(self.fd)
        guard code == 0 else { return self.fail(code) }
        self.finish { () throws(ReactorError) in
            // The watch on the old descriptor ends with it; a copy lives on as the connection.
            let copy = dup(self.fd)
            guard copy >= 0 else { throw ReactorError(.connect, code: SystemSocket.lastError, "\(self.address)") }
            return try TCPConnection(copy, peer: self.address, on: self.reactor)
        }
    }

    private func fail(_ code: Int32) {
        self.finish { () throws(ReactorError) in throw ReactorError(.connect, code: code, "\(self.address)") }
    }

    private func finish(_ outcome: () throws(ReactorError) -> TCPConnection) {
        guard let completion = self.completion.take() else { return }
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        let result = Result(catching: outcome)
        self.closeSocket()
        completion(result)
    }

    override func loopEnds() { self.fail(UV_ECANCELED.rawValue) }
}
