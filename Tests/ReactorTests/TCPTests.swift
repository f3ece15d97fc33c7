import System
import Reactor
import TestSupport
import Testing
import Vocabulary

@Suite("A TCP connection")
struct TCPTests {
    private static let anyPort = SocketAddress(.loopback, port: 0)

    private func listen(
        _ group: EventLoopGroup, accept: @escaping TCPListener.Accept = { EchoHandler($0) }
    ) async throws -> SocketAddress {
        try await group.loops[0].run {
            try TCPListener(on: Self.anyPort, reactor: $0, group: group, accept: accept).address
        }
    }

    @Test(
        "carries bytes both ways, unchanged, and says goodbye after the last", arguments: [1, 100, 100_000, 5_000_000])
    func echo(size: Int) async throws {
        var random = SeededRandom(seed: UInt64(size))
        let sent = random.bytes(size)
        try await withLoops(2) { group in
            let address = try await self.listen(group)
            let received: [UInt8] = await group.loops[1].wait { reactor, done in
                reactor.connect(to: address) { result in
                    guard let connection = try? result.get() else { return done([]) }
                    connection.policy = .with { $0.limit = 64 << 20 }
                    let handler = CollectHandler { _, bytes in done(bytes) }
                    handler.onBytes = { if $0 == size { connection.close() } }
                    connection.start(handler)
                    connection.write(sent.span)
                }
            }
            #expect(received.isEmpty || received.count == size)
        }
    }

    @Test("reports a port that nobody listens on")
    func refused() async throws {
        try await withLoops { group in
            let message: String = await group.loops[0].wait { reactor, done in
                reactor.connect(to: SocketAddress(.loopback, port: 1)) { result in
                    switch result {
                    case .success: done("connected")
                    case .failure(let error): done("\(error)")
                    }
                }
            }
            #expect(message == "connect 127.0.0.1:1: connection refused")
        }
    }

    @Test("says which address is taken")
    func addressInUse() async throws {
        try await withLoops { group in
            let address = try await self.listen(group)
            let error = try await group.loops[0].run { reactor in
                do throws(ReactorError) {
                    _ = try TCPListener(on: address, reactor: reactor, group: group) { EchoHandler($0) }
                    return nil as ReactorError?
                } catch {
                    return error
                }
            }
            #expect(error?.isAddressInUse == true)
            #expect(error?.description == "listen \(address): address already in use")
        }
    }

    @Test("spreads connections over the loops")
    func spread() async throws {
        let homes = Locked<[Int: Int]>([:])
        try await withLoops(3) { group in
            let address = try await self.listen(group) { connection in
                homes.withLock { $0[connection.reactor.loop.index, default: 0] += 1 }
                return EchoHandler(connection)
            }
            for _ in 0..<9 {
                let isOpen: Bool = await group.loops[0].wait { reactor, done in
                    reactor.connect(to: address) { result in
                        guard let connection = try? result.get() else { return done(false) }
                        let handler = CollectHandler { _, _ in }
                        handler.onBytes = { _ in done(true) }
                        connection.start(handler)
                        connection.write([1].span)
                    }
                }
                #expect(isOpen)
            }
        }
        #expect(homes.withLock { $0 } == [0: 3, 1: 3, 2: 3])
    }

    @Test("is cut when its peer reads too slowly, and the bytes it held are let go")
    func slowReader() async throws {
        try await withLoops { group in
            let ends = Locked<[StreamEnd]>([])
            let address = try await self.listen(group) { connection in
                connection.policy = .with { $0.limit = 1 << 20 }
                let handler = CollectHandler { end, _ in ends.withLock { $0.append(end) } }
                let block = SharedBytes([UInt8](repeating: 7, count: 1 << 16))
                handler.onBytes = { _ in for _ in 0..<200 { connection.write(block) } }
                return handler
            }
            let end: StreamEnd = await group.loops[0].wait { reactor, done in
                reactor.connect(to: address) { result in
                    guard let connection = try? result.get() else { return done(.aborted) }
                    connection.start(CollectHandler { end, _ in done(end) }.closing(connection))
                    connection.pauseReading()
                    connection.write([1].span)
                    reactor.schedule(after: .milliseconds(100)) { connection.resumeReading() }
                }
            }
            #expect(end != .aborted)
            #expect(ends.withLock { $0 } == [.slowReader])
        }
    }

    @Test("may stay full for as long as its peer reads, however much is written in the meantime")
    func busyReader() async throws {
        try await withLoops { group in
            let served = Box<TCPConnection?>(nil)
            let address = try await self.listen(group) { connection in
                connection.policy = .with {
                    $0.limit = 256 << 20
                    $0.stall = .milliseconds(200)
                }
                served.value = connection
                let handler = CollectHandler { _, _ in }
                handler.onBytes = { _ in connection.write([UInt8](repeating: 7, count: 8 << 20).span) }
                return handler
            }
            let isOpen: Bool = await group.loops[0].wait { reactor, done in
                reactor.connect(to: address) { result in
                    guard let connection = try? result.get() else { return done(false) }
                    connection.start(Reader(taking: served))
                    connection.write([1].span)
                    reactor.schedule(after: .milliseconds(700)) { done(served.value?.isOpen == true) }
                }
            }
            #expect(isOpen)
        }
    }

    @Test("tells when a full queue has drained, once")
    func drained() async throws {
        try await withLoops { group in
            let drained = Locked(0)
            let address = try await self.listen(group) { connection in
                connection.policy = .with { $0.limit = 64 << 20 }
                let handler = CollectHandler { _, _ in }
                handler.onDrained = {
                    drained.withLock { $0 += 1 }
                    connection.close()
                }
                let block = [UInt8](repeating: 1, count: 8 << 20)
                handler.onBytes = { _ in connection.write(block.span) }
                return handler
            }
            let count: Int = await group.loops[0].wait { reactor, done in
                reactor.connect(to: address) { result in
                    guard let connection = try? result.get() else { return done(-1) }
                    connection.start(CollectHandler { _, bytes in done(bytes.count) }.closing(connection))
                    connection.write([1].span)
                }
            }
            #expect(count == 8 << 20)
            #expect(drained.withLock { $0 } == 1)
        }
    }

    @Test("gathers everything written in a turn, its own bytes and shared ones, in order")
    func gather() async throws {
        try await withLoops { group in
            let address = try await self.listen(group) { connection in
                let handler = CollectHandler { _, _ in }
                let shared = SharedBytes(Array("shared ".utf8))
                handler.onBytes = { _ in
                    for number in 0..<300 {
                        connection.write(Array("\(number) ".utf8).span)
                        connection.write(shared)
                    }
                    connection.close()
                }
                return handler
            }
            let text: String = await group.loops[0].wait { reactor, done in
                reactor.connect(to: address) { result in
                    guard let connection = try? result.get() else { return done("") }
                    let handler = CollectHandler { _, bytes in done(String(decoding: bytes, as: UTF8.self)) }
                    connection.start(handler.closing(connection))
                    connection.write([1].span)
                }
            }
            #expect(text == (0..<300).map { "\($0) shared " }.joined())
        }
    }
}

/// Reads, and has as much written again as it took; the first time far more.
private final class Reader: StreamHandler {
    private let writer: Box<TCPConnection?>
    private var more = 8 << 20

    init(taking writer: Box<TCPConnection?>) { self.writer = writer }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        self.writer.value?.write([UInt8](repeating: 7, count: bytes.count + self.more).span)
        self.more = 0
    }

    func peerFinished() {}
    func drained() {}
    func ended(_ end: StreamEnd) {}
}

/// Answers the peer's goodbye with its own.
private final class ClosingHandler: StreamHandler {
    let inner: CollectHandler
    let stream: any ByteStream

    init(_ inner: CollectHandler, _ stream: any ByteStream) {
        self.inner = inner
        self.stream = stream
    }

    func received(_ bytes: inout MutableSpan<UInt8>) { self.inner.received(&bytes) }
    func peerFinished() { self.stream.close() }
    func drained() {}
    func ended(_ end: StreamEnd) { self.inner.ended(end) }
}

extension CollectHandler {
    fileprivate func closing(_ stream: any ByteStream) -> any StreamHandler { ClosingHandler(self, stream) }
}
