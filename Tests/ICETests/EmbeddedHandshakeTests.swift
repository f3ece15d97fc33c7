import Bytes
import Hashing
import ICE
import STUN
import TestSupport
import Testing

@Suite("A handshake inside of checks")
struct EmbeddedHandshakeTests {
    /// One end: the carrier, and a session of DTLS 1.2 that knows no more of it than how many flights there are.
    private struct End {
        var handshake = EmbeddedHandshake()
        let isClient: Bool
        /// How many flights of both ends it has seen and sent.
        var flights = 0
        var isEstablished: Bool { self.flights == 4 }

        init(isClient: Bool) {
            self.isClient = isClient
            self.handshake.begin()
            if isClient { self.send() }
        }

        /// Flights have two datagrams, as with a long certificate.
        private mutating func send() {
            self.flights += 1
            self.handshake.carry((0..<2).map { [22, 254, 253, UInt8(self.flights), $0] })
        }

        private var parts: Set<UInt8> = []

        mutating func take() {
            for datagram in self.handshake.takeDatagrams() where datagram[3] == self.flights + 1 {
                self.parts.insert(datagram[4])
                guard self.parts.count == 2 else { continue }
                self.parts = []
                self.flights += 1
                if self.flights < 4 { self.send() }
            }
            if self.isEstablished { self.handshake.established(isClient: self.isClient) }
        }

        mutating func message(_ kind: STUNMessageType.Class) -> [UInt8] {
            var message = STUNWriter(kind, STUNMethod.binding, TransactionID(high: 1, low: 2))
            self.handshake.write(to: &message)
            return message.finish().bytes
        }

        mutating func read(_ bytes: [UInt8]) throws {
            self.handshake.read(try STUNMessage(parsing: bytes.span))
            self.take()
        }
    }

    @Test("completes at both ends, whatever requests and responses are lost", arguments: 0..<200)
    func lossy(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var ends = [End(isClient: true), End(isClient: false)]
        let loss = Double(seed % 5) / 10
        var checks = 0
        while !ends.allSatisfy({ $0.handshake.state == .complete }) {
            checks += 1
            try #require(checks < 1000, "\(ends.map(\.handshake.state))")
            let asker = Int.random(in: 0..<2, using: &random)
            let request = ends[asker].message(.request)
            if .random(in: 0..<1, using: &random) < loss { continue }
            try ends[1 - asker].read(request)
            let answer = ends[1 - asker].message(.success)
            if .random(in: 0..<1, using: &random) >= loss { try ends[asker].read(answer) }
        }
        #expect(ends.allSatisfy { $0.isEstablished && !$0.handshake.hasDatagrams })
        for index in ends.indices { #expect(ends[index].message(.request).count == STUNHeader.length) }
    }

    @Test("falls back to DTLS outside of checks with a peer that does not support it")
    func unsupported() throws {
        var end = End(isClient: true)
        try end.read(STUNWriter(.success, STUNMethod.binding, TransactionID(high: 1, low: 2)).finish().bytes)
        #expect(end.handshake.state == .off)
        #expect(end.message(.request).count == STUNHeader.length)
        #expect(end.handshake.takeUnacknowledged().count == 2 && end.handshake.takeUnacknowledged().isEmpty)
    }

    @Test("acknowledges the last four datagrams, each once, also those outside of checks")
    func acknowledgements() throws {
        var end = End(isClient: false)
        let datagrams = (0..<6).map { [22, UInt8($0)] }
        for datagram in datagrams + datagrams.suffix(2) { end.handshake.received(datagram.span) }
        let bytes = end.message(.request)
        let message = try STUNMessage(parsing: bytes.span)
        guard let value = message.value(of: .dtlsInSTUNAck) else {
            return #expect(Bool(false), "nothing is acknowledged")
        }
        let checksums = stride(from: 0, to: value.count, by: 4).map { value.bigEndian(at: $0) as UInt32 }
        #expect(checksums == datagrams.suffix(4).map { Checksum.crc32($0.span) })
    }

    @Test("sends in turn what is not acknowledged, and nothing that is")
    func turns() throws {
        var end = End(isClient: true)
        func carried(_ end: inout End) throws -> UInt8? {
            let bytes = end.message(.request)
            let message = try STUNMessage(parsing: bytes.span)
            guard let value = message.value(of: .dtlsInSTUN), value.count > 4 else { return nil }
            return value[4]
        }
        #expect(try (0..<4).map { _ in try carried(&end) } == [0, 1, 0, 1])
        var answer = STUNWriter(.success, STUNMethod.binding, TransactionID(high: 1, low: 2))
        answer.append(.dtlsInSTUNAck, Checksum.crc32([22, 254, 253, 1, 0].span))
        try end.read(answer.finish().bytes)
        #expect(try (0..<2).map { _ in try carried(&end) } == [1, 1])
    }

    @Test("ignores what is too long for a check, and what is not DTLS")
    func misfits() throws {
        var end = End(isClient: true)
        end.handshake.carry([[UInt8](repeating: 22, count: 1200)])
        let bytes = end.message(.request)
        #expect(try !STUNMessage(parsing: bytes.span).has(.dtlsInSTUN))
        var message = STUNWriter(.request, STUNMethod.binding, TransactionID(high: 1, low: 2))
        message.append(.dtlsInSTUN, [1, 2, 3].span)
        end.handshake.read(try STUNMessage(parsing: message.finish().bytes.span))
        #expect(!end.handshake.hasDatagrams)
    }

    @Test("reads acknowledgements of any length", arguments: 0..<40)
    func lengths(count: Int) throws {
        var end = End(isClient: true)
        var message = STUNWriter(.request, STUNMethod.binding, TransactionID(high: 1, low: 2))
        message.append(.dtlsInSTUNAck, [UInt8](repeating: 7, count: count).span)
        try end.read(message.finish().bytes)
        #expect(end.handshake.state == .confirmed && end.handshake.takeUnacknowledged().count == 2)
    }

    @Test("keeps four datagrams that nobody takes, acknowledges no more, and drops them when it stops")
    func limit() throws {
        var end = End(isClient: false)
        for number in 0..<6 {
            var message = STUNWriter(.request, STUNMethod.binding, TransactionID(high: 1, low: 2))
            message.append(.dtlsInSTUN, [22, UInt8(number)].span)
            end.handshake.read(try STUNMessage(parsing: message.finish().bytes.span))
        }
        let bytes = end.message(.request)
        let message = try STUNMessage(parsing: bytes.span)
        let length = if let value = message.value(of: .dtlsInSTUNAck) { value.count } else { 0 }
        #expect(length == 16)
        var stopped = end.handshake
        #expect(end.handshake.takeDatagrams() == (0..<4).map { [22, $0] })
        stopped.stop()
        #expect(!stopped.hasDatagrams)
    }
}
