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

    /// Keeps what comes until there are so many.
    private final class Record: DatagramHandler {
        private var datagrams: [[UInt8]] = []
        private let count: Int
        private let done: ([[UInt8]]) -> Void

        init(of count: Int, _ done: @escaping ([[UInt8]]) -> Void) {
            self.count = count
            self.done = done
        }

        func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
            self.datagrams.append((0..<datagram.count).map { datagram[$0] })
            if self.datagrams.count == self.count { self.done(self.datagrams) }
        }
    }

    @Test("for relays passes equal datagrams as one without changing them", arguments: [true, false], [true, false])
    func bursts(sendsJoined: Bool, receivesJoined: Bool) async throws {
        let lengths =
            [100, 100, 100, 60, 100, 100, 1, 1, 1200, 1200, 1200, 2, 0, 0] + Array(repeating: 1100, count: 80)
        let sent = lengths.enumerated().map { [UInt8](repeating: UInt8($0.offset), count: $0.element) }
        try await withLoops { group in
            let heard: [[UInt8]] = await group.loops[0].wait { reactor, done in
                do {
                    let place = SocketAddress(.loopback, port: 0)
                    let server = try UDPSocket(
                        on: place, for: receivesJoined ? .relayedPeers : .fewPeers, reactor: reactor)
                    server.start(Record(of: sent.count, done))
                    let client = try UDPSocket(
                        on: place, for: sendsJoined ? .relayedPeers : .fewPeers, reactor: reactor)
                    for datagram in sent { client.send(datagram.span, to: server.address) }
                } catch {
                    done([])
                }
            }
            #expect(heard == sent)
        }
    }

    @Test("sends what it was given when more sockets than usual send in one turn")
    func manySenders() async throws {
        try await withLoops { group in
            let heard: [[UInt8]] = await group.loops[0].wait { reactor, done in
                do {
                    let server = try UDPSocket(on: SocketAddress(.loopback, port: 0), reactor: reactor)
                    server.start(Record(of: 80, done))
                    for number in UInt8(0)..<40 {
                        let client = try UDPSocket(on: SocketAddress(.loopback, port: 0), reactor: reactor)
                        client.send([number].span, to: server.address)
                        client.send([number, number].span, to: server.address)
                        client.start(Echo())
                    }
                } catch {
                    done([])
                }
            }
            #expect(Set(heard) == Set((UInt8(0)..<40).flatMap { [[$0], [$0, $0]] }))
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
