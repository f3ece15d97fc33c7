import Bytes
import Hashing
import STUN
import TestSupport
import Testing
import Vocabulary

@Suite("A STUN message")
struct STUNMessageTests {
    private static func parse(_ bytes: [UInt8]) throws {
        _ = try STUNMessage(parsing: bytes.span)
    }

    private static let key = STUNKey(shortTerm: STUNSamples.password)

    @Test("is refused when it is cut anywhere, or has a byte too many", arguments: STUNSamples.all)
    func cut(sample: [UInt8]) {
        for count in 0..<sample.count {
            #expect(throws: ByteError.self) { try Self.parse(Array(sample.prefix(count))) }
        }
        #expect(throws: ByteError(.outOfRange, at: 2)) { try Self.parse(sample + [0]) }
    }

    @Test("is no longer authentic when any bit of what is signed changes", arguments: [0, 1])
    func tampered(which: Int) throws {
        let sample = [STUNSamples.request, STUNSamples.ipv4Response][which]
        for index in 0..<(sample.count - 8) {
            for bit in 0..<8 {
                var changed = sample
                changed[index] ^= 1 << bit
                guard let message = try? STUNMessage(parsing: changed.span) else { continue }
                #expect(message.isAuthentic(Self.key) == false)
                #expect(message.hasRightFingerprint == false)
            }
        }
    }

    @Test("says where it stops making sense")
    func offsets() {
        var long = STUNSamples.request
        long[23] = 0xF0
        #expect(throws: ByteError(.truncated, at: 22)) { try Self.parse(long) }
        var cookie = STUNSamples.request
        cookie[5] = 0
        #expect(throws: ByteError(.malformed, at: 4)) { try Self.parse(cookie) }
        var fingerprint = STUNSamples.request
        fingerprint[103] = 8
        #expect(throws: ByteError(.truncated, at: 102)) { try Self.parse(fingerprint) }
    }

    @Test("may not go on behind its fingerprint")
    func behindFingerprint() {
        var writer = STUNWriter(.request, STUNMethod.binding, STUNSamples.transaction)
        writer.appendFingerprint()
        writer.append(.software, text: "late")
        let bytes = writer.finish().bytes
        #expect(throws: ByteError(.outOfRange, at: 22)) { try Self.parse(bytes) }
    }

    @Test("keeps to itself what stands behind its integrity, for nobody signed it")
    func behindIntegrity() throws {
        var writer = STUNWriter(.request, STUNMethod.binding, STUNSamples.transaction)
        writer.append(.priority, UInt32(1))
        writer.appendIntegrity(Self.key)
        writer.append(.useCandidate)
        writer.appendIntegritySHA256(Self.key)
        writer.append(.username, text: "late")
        writer.appendFingerprint()
        let bytes = writer.finish().bytes
        let message = try STUNMessage(parsing: bytes.span)
        #expect(message.number(of: .priority) == UInt32(1))
        #expect(!message.has(.useCandidate) && !message.has(.username))
        #expect(message.isAuthentic(Self.key, by: .sha1) && message.isAuthentic(Self.key, by: .sha256))
        #expect(message.hasRightFingerprint == true)
    }

    @Test("counts the first of attributes with one name")
    func first() throws {
        var writer = STUNWriter(.request, STUNMethod.binding, STUNSamples.transaction)
        writer.append(.priority, UInt32(1))
        writer.append(.priority, UInt32(2))
        let bytes = writer.finish().bytes
        let priority: UInt32? = try STUNMessage(parsing: bytes.span).number(of: .priority)
        #expect(priority == 1)
    }

    @Test(
        "accepts a SHA-256 code that was cut to 16 bytes and no shorter one", arguments: [12, 16, 20, 24, 28, 32, 36])
    func shortened(count: Int) throws {
        var writer = STUNWriter(.request, STUNMethod.binding, STUNSamples.transaction)
        writer.append(.username, text: "abc")
        let start = writer.count
        // What the code covers counts the shorter attribute.
        writer.append(.messageIntegritySHA256, [UInt8](repeating: 0, count: count).span)
        var bytes = writer.finish().bytes
        let code = HMAC.code(of: Array(bytes[..<start]), key: Array(STUNSamples.password.utf8))
        for index in 0..<min(count, 32) { bytes[start + 4 + index] = code[index] }
        let message = try? STUNMessage(parsing: bytes.span).isAuthentic(Self.key)
        #expect(message == ((16...32).contains(count) ? true : nil))
    }

    @Test("gives every kind of value back", arguments: 0..<20)
    func values(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let transaction = TransactionID(using: &random)
        let ipv4 = SocketAddress(.v4(random.next32()), port: 4711)
        let ipv6 = SocketAddress(.v6(random.next() | 1 << 63, random.next()), port: 65535)
        let channel = try #require(ChannelNumber(rawValue: 0x4000 + UInt16.random(in: 0...0xFFF, using: &random)))
        var writer = STUNWriter(.indication, STUNMethod.data, transaction)
        writer.append(.xorPeerAddress, ipv4)
        writer.append(.xorPeerAddress, ipv6)
        writer.append(.mappedAddress, ipv6)
        writer.append(channel)
        writer.append(lifetime: .seconds(600))
        writer.append(requestedTransport: 17)
        writer.append(.requestedAddressFamily, STUNAddressFamily.ipv6)
        writer.append(addressError: .addressFamilyNotSupported, for: .ipv6)
        writer.append(.evenPort, UInt8(0x80))
        writer.append([.ip, .port])
        writer.append(responsePort: 9)
        writer.append(.staleNonce, reason: "old")
        writer.append(unknown: [.priority, .data, .nonce])
        writer.append(.data, random.bytes(seed.hashValue & 63).span)
        let bytes = writer.finish().bytes
        let message = try STUNMessage(parsing: bytes.span)
        #expect(message.type == STUNMessageType(.indication, method: STUNMethod.data))
        #expect(message.address(of: .xorPeerAddress) == ipv4)
        var peers: [SocketAddress?] = []
        var attributes = message.attributes
        while let attribute = attributes.next() {
            if attribute.type == .xorPeerAddress { peers.append(message.address(in: attribute)) }
        }
        #expect(peers == [ipv4, ipv6])
        #expect(message.mappedAddress == ipv6)
        #expect(message.channelNumber == channel)
        #expect(message.lifetime == .seconds(600))
        #expect(message.requestedTransport == 17)
        #expect(message.addressFamily(of: .requestedAddressFamily) == .ipv6)
        #expect(message.addressError?.family == .ipv6 && message.addressError?.code == .addressFamilyNotSupported)
        #expect(message.evenPortReservesNext == true)
        #expect(message.changeRequest == [.ip, .port])
        #expect(message.responsePort == 9)
        #expect(message.errorCode == .staleNonce && message.errorReason == "old")
        #expect(message.unknownAttributes == [.priority, .data, .nonce])
    }

    @Test("says what must be understood and is not, each once and only so many")
    func notUnderstood() throws {
        var writer = STUNWriter(.request, STUNMethod.binding, STUNSamples.transaction)
        for type: UInt16 in [0x7001, 0x7001, 0x9001, 0x7002, 0x7003] {
            writer.append(STUNAttributeType(rawValue: type), UInt32(0))
        }
        let bytes = writer.finish().bytes
        let message = try STUNMessage(parsing: bytes.span)
        let unknown = message.notUnderstood(knowing: { $0.rawValue == 0x7002 })
        #expect(unknown.map(\.rawValue) == [0x7001, 0x7003])
        #expect(message.notUnderstood(knowing: { _ in false }, limit: 2).map(\.rawValue) == [0x7001, 0x7002])
    }

    @Test("comes back as it was when it is read and written again", arguments: 0..<50)
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            let bytes = Self.randomMessage(&random)
            let copy = try Self.rewrite(bytes)
            #expect(copy == bytes)
            #expect(try Self.rewrite(copy) == copy)
        }
    }

    @Test("never stops the program, whatever bytes come", arguments: 0..<50)
    func mutated(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var count = 0
        for _ in 0..<400 {
            var bytes = STUNSamples.all.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8(truncatingIfNeeded: random.next())
            }
            guard let message = try? STUNMessage(parsing: bytes.span) else { continue }
            STUNWalk.everything(in: message)
            _ = message.isAuthentic(Self.key)
            count += 1
        }
        #expect((1..<400).contains(count), "some are read and some refused")
    }

    private static func randomMessage(_ random: inout SeededRandom) -> [UInt8] {
        var writer = STUNWriter(.request, STUNMethod.allocate, TransactionID(using: &random))
        for _ in 0..<Int.random(in: 0...9, using: &random) {
            // Names above these are integrity and fingerprint, which a copy makes anew.
            let type = STUNAttributeType(rawValue: 0x9000 | UInt16.random(in: 0...0xFFF, using: &random))
            writer.append(type, random.bytes(Int.random(in: 0...40, using: &random)).span)
        }
        if Bool.random(using: &random) { writer.appendIntegrity(self.key) }
        if Bool.random(using: &random) { writer.appendIntegritySHA256(self.key) }
        if Bool.random(using: &random) { writer.appendFingerprint() }
        return writer.finish().bytes
    }

    private static func rewrite(_ bytes: [UInt8]) throws -> [UInt8] {
        let message = try STUNMessage(parsing: bytes.span)
        var writer = STUNWriter(message.type.class, message.type.method, message.transaction)
        var attributes = message.attributes
        while let attribute = attributes.next() {
            writer.append(attribute.type, bytes.span.extracting(attribute.range))
        }
        if message.has(.sha1) { writer.appendIntegrity(self.key) }
        if message.has(.sha256) { writer.appendIntegritySHA256(self.key) }
        if message.hasFingerprint { writer.appendFingerprint() }
        return writer.finish().bytes
    }
}

extension SeededRandom {
    fileprivate mutating func next32() -> UInt32 { UInt32(truncatingIfNeeded: self.next()) }
}
