internal import Bytes
internal import HTTPServer
package import Reactor
package import Web

/// Asks another server to go on in another protocol on one connection (RFC 9110 §7.8).
package final class UpgradeCall: StreamHandler {
    private let request: [UInt8]
    private var stream: (any ByteStream)?
    private var dialer: ServerDialer?
    private var timer: TimerToken?
    private let reactor: Reactor
    private var parser = HTTPResponseParser(limits: HTTPLimits())
    private var switched: ((HTTPResponseHead, any ByteStream) -> (any StreamHandler)?)?
    private var failed: (() -> Void)?

    /// The call lives until one of the two was called, once.
    ///
    /// - Parameters:
    ///   - fields: with what the connection is to become; `Connection` is added.
    ///   - switched: says who handles the stream from now on, with what came behind the answer; nil ends it.
    package init(
        _ server: ServerURL, on reactor: Reactor, _ target: String, fields: HTTPFields, timeout: Duration,
        switched: @escaping (HTTPResponseHead, any ByteStream) -> (any StreamHandler)?, failed: @escaping () -> Void
    ) {
        var (fields, request) = (fields, [UInt8]())
        fields.set(.connection, to: "Upgrade")
        HTTPRequestEncoder.write(
            .get, target: target, host: server.authority, fields: fields, bodyLength: 0, into: &request)
        (self.request, self.reactor, self.switched, self.failed) = (request, reactor, switched, failed)
        self.parser.expect(answerTo: .get)
        self.timer = reactor.schedule(after: timeout) { self.fail() }
        let dialer = ServerDialer(
            server, on: reactor, timeout: timeout + .seconds(1), opened: { self.opened($0) },
            failed: { _ in self.fail() })
        self.dialer = dialer
        dialer.start()
    }

    private func opened(_ stream: any ByteStream) -> any StreamHandler {
        self.stream = stream
        let request = self.request
        stream.write(request.span)
        return self
    }

    /// It was given up.
    package func cancel() {
        self.failed = nil
        self.fail()
    }

    private func fail() {
        let (failed, stream) = (self.failed.take(), self.stream.take())
        self.end()
        stream?.abort()
        failed?()
    }

    private func end() {
        self.switched = nil
        self.failed = nil
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.dialer.take()?.cancel()
    }

    package func received(_ bytes: inout MutableSpan<UInt8>) {
        var offset = 0
        guard let head = self.head(in: bytes.span, from: &offset) else { return }
        guard head.status == .switchingProtocols, let switched = self.switched, let stream = self.stream.take() else {
            return self.fail()
        }
        self.end()
        guard let handler = switched(head, stream) else { return stream.abort() }
        stream.replaceHandler(with: handler)
        guard offset < bytes.count else { return }
        var rest = Array(copying: bytes.span.extracting(offset..<bytes.count))
        var view = rest.mutableSpan
        handler.received(&view)
    }

    /// Nil as long as it is not whole, and for what is none.
    private func head(in bytes: Span<UInt8>, from offset: inout Int) -> HTTPResponseHead? {
        do throws(HTTPResponseError) {
            while let part = try self.parser.next(in: bytes, from: &offset) {
                if case .head(let head) = part { return head }
            }
        } catch {
            self.fail()
        }
        return nil
    }

    package func peerFinished() { self.fail() }
    package func drained() {}
    package func ended(_ end: StreamEnd) { self.fail() }
}
