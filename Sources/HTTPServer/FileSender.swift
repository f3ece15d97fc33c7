internal import Reactor
internal import Web

/// Sends a part of a large file, one piece at a time: the next is read when the client has room for it.
///
/// It keeps itself alive through what it waits for: the helper thread's answer, or the client's.
final class FileSender {
    private let file: OpenFile
    private var rest: Range<Int>
    private let exchange: HTTPExchange
    private let reactor: Reactor

    private static let pieceSize = 128 << 10

    init(_ file: OpenFile, _ range: Range<Int>, _ exchange: HTTPExchange, _ reactor: Reactor) {
        self.file = file
        self.rest = range
        self.exchange = exchange
        self.reactor = reactor
    }

    func start(_ head: HTTPResponseHead) {
        guard self.exchange.start(head, length: self.rest.count) else { return }
        if self.exchange.request.method == .head { return self.exchange.finish() }
        self.exchange.onDrained = { self.sendNext() }
        self.sendNext()
    }

    private func sendNext() {
        guard self.exchange.isAlive else { return }
        guard !self.rest.isEmpty else { return self.finish() }
        let piece = self.rest.prefix(Self.pieceSize)
        self.rest = self.rest.dropFirst(piece.count)
        let (file, range) = (self.file, piece.startIndex..<piece.endIndex)
        self.reactor.offload({ file.read(range) }) { bytes in self.send(bytes) }
    }

    private func send(_ bytes: [UInt8]?) {
        guard let bytes else { return self.exchange.fail() }
        if self.exchange.write(bytes.span) { self.sendNext() }
    }

    private func finish() {
        self.exchange.onDrained = nil
        self.exchange.finish()
    }
}
