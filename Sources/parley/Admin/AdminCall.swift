import Arguments
import Bytes
import Locking
import Reactor
import Vocabulary
import Web

/// One question to a running server's admin listener, and its answer.
struct AdminCall {
    let address: SocketAddress

    /// Waits for the answer; what went wrong is told as the command's failure.
    func send(_ method: HTTPMethod, _ target: String) throws(CommandFailure) -> [UInt8] {
        let outcome = try self.exchange(method, target)
        switch outcome {
        case .success(let (status, body)) where status.isSuccess: return body
        case .success(let (status, body)):
            let words = String(decoding: body, as: UTF8.self).split(separator: "\n").first ?? ""
            throw CommandFailure("the server at \(self.address) answered \(status.code): \(words)")
        case .failure(let error):
            throw CommandFailure(
                "no server at \(self.address): \(error); start one with 'parley serve', or name it with --admin",
                exitCode: .unavailable)
        }
    }

    private typealias Outcome = Result<(HTTPStatus, [UInt8]), ReactorError>

    private func exchange(_ method: HTTPMethod, _ target: String) throws(CommandFailure) -> Outcome {
        let answer = Locked<Outcome?>(nil)
        let done = Gate()
        let group: EventLoopGroup
        do throws(ReactorError) {
            group = try EventLoopGroup(count: 1)
        } catch {
            throw CommandFailure("\(error)", exitCode: .osError)
        }
        defer { group.shutDown() }
        group.loops[0].execute { reactor in
            self.ask(method, target, on: reactor) { outcome in
                answer.withLock { $0 = outcome }
                done.open()
            }
        }
        done.wait()
        guard let outcome = answer.withLock({ $0 }) else { throw CommandFailure("there was no answer") }
        return outcome
    }

    private func ask(
        _ method: HTTPMethod, _ target: String, on reactor: Reactor, _ completion: @escaping (Outcome) -> Void
    ) {
        reactor.connect(to: self.address, timeout: .seconds(5)) { result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let connection):
                connection.start(AdminAnswer(connection, completion))
                var bytes: [UInt8] = []
                _ = HTTPRequestEncoder.write(
                    method, target: target, host: "\(self.address)", fields: [.connection: "close"], into: &bytes)
                connection.write(bytes.span)
            }
        }
    }
}

/// Puts the answer together as it comes.
private final class AdminAnswer: StreamHandler {
    private let stream: any ByteStream
    private var completion: ((Result<(HTTPStatus, [UInt8]), ReactorError>) -> Void)?
    private var parser = HTTPResponseParser()
    private var status = HTTPStatus.badGateway
    private var body: [UInt8] = []

    init(
        _ stream: any ByteStream, _ completion: @escaping (Result<(HTTPStatus, [UInt8]), ReactorError>) -> Void
    ) {
        self.stream = stream
        self.completion = completion
    }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        var offset = 0
        do throws(HTTPResponseError) {
            while let part = try self.parser.next(in: bytes.span, from: &offset) { self.take(part, bytes.span) }
        } catch {
            self.body = Array("\(error)".utf8)
            self.finish()
        }
    }

    private func take(_ part: HTTPResponsePart, _ bytes: Span<UInt8>) {
        switch part {
        case .informational: break
        case .head(let head): self.status = head.status
        case .body(let range): self.body += [UInt8](copying: bytes.extracting(range))
        case .end: self.finish()
        }
    }

    private func finish() {
        self.completion.take()?(.success((self.status, self.body)))
        self.stream.close()
    }

    func peerFinished() { self.finish() }
    func drained() {}
    func ended(_ end: StreamEnd) { self.finish() }
}
