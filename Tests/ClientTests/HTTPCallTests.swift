import Client
import Reactor
import Testing
import Vocabulary
import Web

@Suite("One HTTP call", .timeLimit(.minutes(1)))
struct HTTPCallTests {
    @Test(
        "takes an answer only whole, and no longer than it should be",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 hello"),
            ("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello", "200 hello"),
            ("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "404 "),
            ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", "the server's answer is no HTTP: "),
            ("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", "the server's answer is no HTTP: "),
            ("SSH-2.0-OpenSSH_9.2\r\n", "the server's answer is no HTTP: "),
            ("", "the server closed the connection"),
        ])
    func answers(raw: String, said: String) async throws {
        let loops = try EventLoopGroup(count: 1)
        defer { loops.shutDown() }
        let loop = loops.loops[0]
        let address = try await self.serve(raw, on: loops)
        let outcome = await withCheckedContinuation { continuation in
            loop.execute { reactor in
                HTTPCall(ServerURL(address), on: reactor, maximumBodyBytes: 100) { continuation.resume(returning: $0) }
                    .send(.get, "/", timeout: .seconds(20))
            }
        }
        switch outcome {
        case .success(let answer):
            #expect("\(answer.status.code) \(String(decoding: answer.body, as: UTF8.self))" == said)
        case .failure(let failure):
            #expect("\(failure)".hasPrefix(said))
        }
    }

    /// Says the same to everybody, and hangs up.
    private func serve(_ raw: String, on loops: EventLoopGroup) async throws -> SocketAddress {
        try await withCheckedThrowingContinuation { continuation in
            loops.loops[0].execute { reactor in
                continuation.resume(
                    with: Result {
                        try TCPListener(on: SocketAddress(.loopback, port: 0), reactor: reactor, group: loops) {
                            Parrot($0, raw)
                        }.address
                    })
            }
        }
    }
}

private final class Parrot: StreamHandler {
    private let stream: any ByteStream
    private let words: [UInt8]

    init(_ stream: any ByteStream, _ words: String) {
        self.stream = stream
        self.words = Array(words.utf8)
    }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        let words = self.words
        self.stream.write(words.span)
        self.stream.close()
    }

    func peerFinished() {}
    func drained() {}
    func ended(_ end: StreamEnd) {}
}
