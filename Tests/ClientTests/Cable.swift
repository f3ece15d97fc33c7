import Bytes
import System
import Reactor
import Vocabulary

/// A way to a server that can be cut: whoever goes through it loses the connection, and may come again.
final class Cable: @unchecked Sendable {
    // Unchecked because `ends` and the listener belong to one loop, whose thread alone touches them.
    private let server: SocketAddress
    private let loop: EventLoop
    private var ends: [CableEnd] = []
    private var listener: TCPListener?
    private(set) var address: SocketAddress

    init(to server: SocketAddress, on group: EventLoopGroup) throws {
        self.server = server
        self.loop = group.loops[0]
        self.address = server
        let outcome = Locked<Result<SocketAddress, ReactorError>?>(nil)
        let done = Gate()
        self.loop.execute { reactor in
            let result = Result { () throws(ReactorError) in
                let listener = try TCPListener(
                    on: SocketAddress(.loopback, port: 0), reactor: reactor, group: group
                ) { self.connect($0) }
                self.listener = listener
                return listener.address
            }
            outcome.withLock { $0 = result }
            done.open()
        }
        done.wait()
        if let result = outcome.withLock({ $0 }) { self.address = try result.get() }
    }

    /// Breaks every connection without a word.
    func cut() {
        self.loop.execute { _ in
            for end in self.ends { end.cut() }
            self.ends = []
        }
    }

    private func connect(_ client: TCPConnection) -> CableEnd {
        let near = CableEnd(client)
        self.ends.append(near)
        client.reactor.connect(to: self.server) { result in
            guard case .success(let connection) = result else { return near.cut() }
            let far = CableEnd(connection)
            self.ends.append(far)
            connection.start(far)
            near.tie(to: far)
        }
        return near
    }
}

/// One of the two connections; what comes in here goes out there.
final class CableEnd: StreamHandler {
    private let stream: TCPConnection
    private weak var other: CableEnd?
    private var early: [UInt8] = []

    init(_ stream: TCPConnection) {
        self.stream = stream
    }

    func tie(to other: CableEnd) {
        self.other = other
        other.other = self
        other.stream.write(self.early.span)
        self.early = []
    }

    func cut() { self.stream.abort() }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        guard let other = self.other else { return self.early.append(contentsOf: [UInt8](copying: bytes.span)) }
        other.stream.write(bytes.span)
    }

    func peerFinished() { self.other?.stream.close() }
    func drained() {}
    func ended(_ end: StreamEnd) { self.other?.stream.abort() }
}
