internal import Bytes
internal import Client
internal import HTTPServer

/// What a client sends, on its way to another node: it waits when that node takes it more slowly.
final class ForwardedBody: HTTPBodySink, HTTPBodySource {
    let length: Int
    private weak var exchange: HTTPExchange?
    private var pending: [UInt8] = []
    private var isPaused = false
    private var end: End?
    private var give: (([UInt8]?) -> Void)?

    private enum End { case whole, cut }

    private static let maximumPendingBytes = 1 << 20

    init(_ exchange: HTTPExchange, length: Int) {
        self.exchange = exchange
        self.length = length
    }

    func bodyReceived(_ bytes: Span<UInt8>) {
        self.pending.append(copying: bytes)
        if self.pending.count >= Self.maximumPendingBytes, !self.isPaused {
            self.isPaused = true
            self.exchange?.pauseBody()
        }
        self.pass()
    }

    func bodyEnded() {
        self.end = .whole
        self.pass()
    }

    func bodyFailed() {
        self.end = .cut
        self.pass()
    }

    func next(_ give: @escaping ([UInt8]?) -> Void) {
        self.give = give
        self.pass()
    }

    private func pass() {
        guard let give = self.give, !self.pending.isEmpty || self.end != nil else { return }
        self.give = nil
        let bytes = self.pending
        self.pending = []
        if self.isPaused {
            self.isPaused = false
            self.exchange?.resumeBody()
        }
        give(bytes.isEmpty && self.end == .cut ? nil : bytes)
    }
}
