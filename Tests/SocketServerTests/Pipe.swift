import Reactor
import Vocabulary

/// A connection without a network: what the server writes lies in `output`, and what the test sends is heard at once.
final class Pipe: ByteStream {
    let reactor: Reactor
    let peer: SocketAddress
    let isEncrypted = false
    var isNewcomer = false
    private(set) var isOpen = true
    /// What the server believes to be waiting. A test that plays a slow reader says how much that is.
    var queuedBytes = 0
    var output: [UInt8] = []
    private var handler: (any StreamHandler)?

    init(_ reactor: Reactor, from peer: IPAddress) {
        self.reactor = reactor
        self.peer = SocketAddress(peer, port: 4711)
    }

    func start(_ handler: (any StreamHandler)?) { self.handler = handler }
    func replaceHandler(with handler: any StreamHandler) { self.handler = handler }

    func write(_ bytes: Span<UInt8>) {
        if self.isOpen { for index in bytes.indices { self.output.append(bytes[index]) } }
    }

    func write(_ head: Span<UInt8>, _ body: Span<UInt8>) {
        self.write(head)
        self.write(body)
    }

    func write(_ shared: SharedBytes) { self.write(shared.span) }
    func pauseReading() {}
    func resumeReading() {}
    func close() { self.isOpen = false }
    func abort() { self.isOpen = false }

    /// The client says something.
    func send(_ bytes: [UInt8]) {
        var bytes = bytes
        var span = bytes.mutableSpan
        if self.isOpen { self.handler?.received(&span) }
        self.settle()
    }

    /// The cable is pulled.
    func cut() {
        self.isOpen = false
        self.settle()
    }

    /// A stream that was closed tells so afterwards, as others do.
    func settle() {
        guard !self.isOpen else { return }
        let handler = self.handler
        self.handler = nil
        handler?.ended(.peerClosed)
    }
}
