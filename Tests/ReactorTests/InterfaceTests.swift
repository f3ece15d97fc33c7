import Reactor
import Testing
import Vocabulary

@Suite("The addresses of this machine")
struct InterfaceTests {
    private static let loopback = InterfaceAddress.all().first { $0.ip == .loopback }

    @Test("have the loopback interface among them, from which nobody else can be reached")
    func loopback() throws {
        let loopback = try #require(Self.loopback)
        #expect(loopback.isInternal && !loopback.reachesOthers && loopback.index > 0)
    }

    @Test("reach nobody where they mean nothing without their link")
    func linkLocal() {
        let high: UInt64 = 0xFE80 << 48
        #expect(!InterfaceAddress(.v6(high, 1), on: "eth0", index: 2).reachesOthers)
        #expect(!InterfaceAddress(.v6(high | 0x3F << 48, 1), on: "eth0", index: 2).reachesOthers)
        #expect(InterfaceAddress(.v6(0x2001_0DB8 << 32, 1), on: "eth0", index: 2).reachesOthers)
        #expect(InterfaceAddress(.v4(0x0A00_0001), on: "eth0", index: 2).reachesOthers)
    }

    @Test("can be dialled from, and who is dialled sees from which")
    func source() async throws {
        // Linux has all of 127.0.0.0/8; elsewhere there is the first one only.
        #if os(Linux)
        let source = IPAddress.v4(0x7F00_0009)
        #else
        let source = IPAddress.loopback
        #endif
        try await withLoops { group in
            let seen: [IPAddress?] = await group.loops[0].wait { reactor, done in
                var ends: [IPAddress?] = []
                func tell(_ end: IPAddress?) {
                    ends.append(end)
                    if ends.count == 2 { done(ends) }
                }
                let anyPort = SocketAddress(.loopback, port: 0)
                guard
                    let door = try? LoopListener(
                        on: anyPort, reactor: reactor,
                        accept: { connection in
                            tell(connection.peer.ip)
                            return EchoHandler(connection)
                        })
                else { return done([]) }
                reactor.connect(to: door.address, from: SocketAddress(source, port: 0)) {
                    tell((try? $0.get())?.local?.ip)
                }
            }
            #expect(seen == [source, source])
        }
    }

    private final class Listener: DatagramHandler {
        private let done: ([UInt8]) -> Void
        init(_ done: @escaping ([UInt8]) -> Void) { self.done = done }

        func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
            self.done(datagram.withUnsafeBufferPointer(Array.init))
        }
    }

    @Test("share a group: what one sends there all hear who have joined")
    func group() async throws {
        let interface = try #require(Self.loopback).index
        let group = SocketAddress(.v4(0xE000_00FB), port: 47_353)
        try await withLoops { loops in
            let heard: [UInt8] = await loops.loops[0].wait { reactor, done in
                guard let one = try? UDPSocket(joining: group, on: interface, reactor: reactor),
                    let other = try? UDPSocket(joining: group, on: interface, reactor: reactor)
                else { return done([]) }
                var count = 0
                let listener = Listener { bytes in
                    count += 1
                    if count == 2 { done(bytes) }
                }
                one.start(listener)
                other.start(listener)
                one.send([4, 2].span, to: group)
            }
            #expect(heard == [4, 2])
        }
    }
}
