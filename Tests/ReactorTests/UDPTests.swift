import Reactor
import Testing
import Vocabulary

@Suite("A UDP socket")
struct UDPTests {
    private final class Echo: DatagramHandler {
        func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
            socket.send(datagram, to: peer)
        }
    }

    private final class Collect: DatagramHandler {
        private var left: Set<Int>
        private let done: (Set<Int>) -> Void
        private(set) var answers = 0

        init(expecting count: Int, _ done: @escaping (Set<Int>) -> Void) {
            self.left = Set(0..<count)
            self.done = done
        }

        func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
            self.left.remove(Int(datagram[0]) << 8 | Int(datagram[1]))
            if self.left.isEmpty { self.done([]) }
        }
    }

    @Test("answers every datagram of a batch to its own sender", arguments: [IPAddress.loopback, .loopback6])
    func echo(ip: IPAddress) async throws {
        try await withLoops { group in
            let missing: Set<Int> = await group.loops[0].wait { reactor, done in
                do {
                    let server = try UDPSocket(on: SocketAddress(ip, port: 0), reactor: reactor)
                    server.start(Echo())
                    let client = try UDPSocket(on: SocketAddress(ip, port: 0), reactor: reactor)
                    client.start(Collect(expecting: 150, done))
                    for number in 0..<150 {
                        client.send([UInt8(number >> 8), UInt8(number & 255)].span, to: server.address)
                    }
                } catch {
                    done([-1])
                }
            }
            #expect(missing.isEmpty)
        }
    }

    /// Notes who sent until number 9 has.
    private final class Guestbook: DatagramHandler {
        private var names: Set<Int> = []
        private let done: (Set<Int>) -> Void

        init(_ done: @escaping (Set<Int>) -> Void) {
            self.done = done
        }

        func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
            self.names.insert(Int(datagram[0]))
            if datagram[0] == 9 { self.done(self.names) }
        }
    }

    @Test("sends what it was given although it is closed at once")
    func goodbye() async throws {
        try await withLoops { group in
            let names: Set<Int> = await group.loops[0].wait { reactor, done in
                do {
                    let server = try UDPSocket(on: SocketAddress(.loopback, port: 0), reactor: reactor)
                    server.start(Guestbook(done))
                    for number in [UInt8(1), 9] {
                        let client = try UDPSocket(on: SocketAddress(.loopback, port: 0), reactor: reactor)
                        client.send([number].span, to: server.address)
                        if number == 1 { client.close() }
                    }
                } catch {
                    done([-1])
                }
            }
            #expect(names == [1, 9])
        }
    }

    @Test("does not stop listening after a datagram that nobody wanted")
    func unreachable() async throws {
        try await withLoops { group in
            let missing: Set<Int> = await group.loops[0].wait { reactor, done in
                do {
                    let server = try UDPSocket(on: SocketAddress(.loopback, port: 0), reactor: reactor)
                    server.start(Echo())
                    let client = try UDPSocket(on: SocketAddress(.loopback, port: 0), reactor: reactor)
                    client.start(Collect(expecting: 1, done))
                    client.send([9, 9].span, to: SocketAddress(.loopback, port: 9))
                    reactor.schedule(after: .milliseconds(10)) { client.send([0, 0].span, to: server.address) }
                } catch {
                    done([-1])
                }
            }
            #expect(missing.isEmpty)
        }
    }

    @Test("refuses a datagram that no path would carry")
    func tooLong() async throws {
        try await withLoops { group in
            let sent = try await group.loops[0].run { reactor in
                let socket = try UDPSocket(on: SocketAddress(.loopback, port: 0), reactor: reactor)
                return socket.send([UInt8](repeating: 0, count: 4000).span, to: socket.address)
            }
            #expect(!sent)
        }
    }
}
