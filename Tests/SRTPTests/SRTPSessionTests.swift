import Bytes
import RTP
import SRTP
import Secure
import TestSupport
import Testing

/// One master key and one packet of each kind, before and after.
struct SRTPVector: CustomTestStringConvertible {
    let profile: SRTPProfile
    let master: String
    let rtp: String
    let rtcp: String

    var testDescription: String { "\(self.profile)" }

    static let plainRTP = "800f1234decafbadcafebabe" + String(repeating: "ab", count: 16)
    static let plainRTCP = "81c8000bcafebabe" + String(repeating: "ab", count: 16)

    /// The key of the first is that of RFC 3711 §B.3, where its session keys are worked out. The others follow from
    /// RFC 3711 §4.3 and RFC 7714 §8, §9 by AES in counter mode and AES-GCM of another library.
    static let all = [
        SRTPVector(
            profile: .aes128SHA1Tag80, master: "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6",
            rtp: "800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb",
            rtcp: "81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798"),
        SRTPVector(
            profile: .aeadAES128GCM, master: "000102030405060708090a0b0c0d0e0fa0a1a2a3a4a5a6a7a8a9aaab",
            rtp: "800f1234decafbadcafebabec5002ede04cfdd2eb91159e0880aa06ed2976826f796b201df3131a127e8a392",
            rtcp: "81c8000bcafebabec98b8b5df0392a55852b6c21ac8e7025c52c6fbea2b3b446ea31123ba88ce61e80000001"),
        SRTPVector(
            profile: .aeadAES256GCM,
            master: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1fa0a1a2a3a4a5a6a7a8a9aaab",
            rtp: "800f1234decafbadcafebabe0af7f21e8a90bdad7a425c9c31ed4bb1d90238917e7390a2793500e1681acaea",
            rtcp: "81c8000bcafebabe8abfafa780070a90e80f9161cf4aac081ed93aaa53c15b0f3ed1a3b984167b0380000001"),
    ]

    func session() throws -> SRTPSession {
        let master = try Hex.decode(self.master)
        return try SRTPSession(SRTPKeys(self.profile, outgoing: master, incoming: master))
    }
}

@Suite("Media that is kept secret")
struct SRTPSessionTests {
    /// With another library below it, a packet would cost several times as much.
    @Test("is encrypted by OpenSSL")
    func library() {
        #expect(SRTPSession.usesOpenSSL)
    }

    private static func packet(_ sequence: Int, ssrc: UInt32 = 7) -> [UInt8] {
        var writer = ByteWriter()
        RTPHeader(payloadType: 111, sequenceNumber: UInt16(truncatingIfNeeded: sequence), timestamp: 0, ssrc: ssrc)
            .write(to: &writer)
        writer.write("sound \(sequence)")
        return writer.bytes
    }

    private static func protect(
        _ plain: [UInt8], isRTCP: Bool = false, room: Int = 20, _ session: SRTPSession
    ) throws -> [UInt8] {
        var buffer = plain + [UInt8](repeating: 0xEE, count: room)
        var span = buffer.mutableSpan
        let count =
            try isRTCP
            ? session.protectRTCP(&span, count: plain.count) : session.protectRTP(&span, count: plain.count)
        return Array(buffer.prefix(count))
    }

    private static func unprotect(
        _ packet: [UInt8], isRTCP: Bool = false, _ session: SRTPSession
    ) throws -> [UInt8] {
        var buffer = packet
        var span = buffer.mutableSpan
        let count = try isRTCP ? session.unprotectRTCP(&span) : session.unprotectRTP(&span)
        return Array(buffer.prefix(count))
    }

    private static func expect(_ reason: SRTPError.Reason, _ body: () throws -> [UInt8]) {
        let error = #expect(throws: SRTPError.self) { try body() }
        #expect(error?.reason == reason)
    }

    @Test("J01 looks as the RFCs want it, and is opened again", arguments: SRTPVector.all)
    func vectors(vector: SRTPVector) throws {
        let session = try vector.session()
        let (rtp, rtcp) = (try Hex.decode(SRTPVector.plainRTP), try Hex.decode(SRTPVector.plainRTCP))
        #expect(Hex.encode(try Self.protect(rtp, session)) == vector.rtp)
        #expect(Hex.encode(try Self.protect(rtcp, isRTCP: true, session)) == vector.rtcp)
        #expect(try Self.unprotect(Hex.decode(vector.rtp), session) == rtp)
        #expect(try Self.unprotect(Hex.decode(vector.rtcp), isRTCP: true, session) == rtcp)
    }

    @Test("J01 travels between two that agreed on keys by DTLS")
    func exported() throws {
        let identity = try SelfSignedIdentity(names: ["peer"])
        let context = try DTLSContext(peerWith: identity)
        let (client, server) = (
            try DTLSSession(context, role: .client), try DTLSSession(context, role: .server)
        )
        try client.start()
        for _ in 0..<10 where !(client.isEstablished && server.isEstablished) {
            for datagram in client.takeDatagrams() { try server.receive(datagram.span) { _ in } }
            for datagram in server.takeDatagrams() { try client.receive(datagram.span) { _ in } }
        }
        let here = try SRTPSession(try #require(try client.srtpKeys()))
        let there = try SRTPSession(try #require(try server.srtpKeys()))
        #expect(here.profile == .aeadAES128GCM)
        let (question, answer) = (Self.packet(1), Self.packet(1, ssrc: 8))
        #expect(try Self.unprotect(Self.protect(question, here), there) == question)
        #expect(try Self.unprotect(Self.protect(answer, there), here) == answer)
        // Keys of one direction do not open the other.
        Self.expect(.forged) { try Self.unprotect(Self.protect(Self.packet(2), here), here) }
    }

    @Test("is not opened when any bit has changed, or any byte is missing", arguments: SRTPVector.all)
    func tampered(vector: SRTPVector) throws {
        let session = try vector.session()
        for (text, isRTCP) in [(vector.rtp, false), (vector.rtcp, true)] {
            let packet = try Hex.decode(text)
            for index in packet.indices {
                for bit in 0..<8 {
                    var changed = packet
                    changed[index] ^= 1 << UInt8(bit)
                    #expect(throws: SRTPError.self) { try Self.unprotect(changed, isRTCP: isRTCP, session) }
                }
                #expect(throws: SRTPError.self) {
                    try Self.unprotect(Array(packet.prefix(index)), isRTCP: isRTCP, session)
                }
            }
            // Nothing of this did any harm.
            #expect(try !Self.unprotect(packet, isRTCP: isRTCP, session).isEmpty)
        }
    }

    @Test("is taken once, in whatever order it comes, and not when it is too old", arguments: SRTPVector.all)
    func replays(vector: SRTPVector) throws {
        let session = try vector.session()
        let packets = try (65_000..<66_200).map { try Self.protect(Self.packet($0), session) }
        for index in [0, 2, 1, 1199, 700] {
            #expect(try Self.unprotect(packets[index], session) == Self.packet(65_000 + index))
            Self.expect(.replayed) { try Self.unprotect(packets[index], session) }
        }
        Self.expect(.replayed) { try Self.unprotect(packets[100], session) }
        let report = try Self.protect([0x80, 201, 0, 1, 0, 0, 0, 7], isRTCP: true, session)
        #expect(try Self.unprotect(report, isRTCP: true, session).count == 8)
        Self.expect(.replayed) { try Self.unprotect(report, isRTCP: true, session) }
    }

    @Test("never leaves twice under one number")
    func sameNumber() throws {
        let session = try SRTPVector.all[1].session()
        _ = try Self.protect(Self.packet(5), session)
        Self.expect(.replayed) { try Self.protect(Self.packet(5), session) }
    }

    @Test("needs exactly as much room as its trailer has", arguments: SRTPVector.all)
    func room(vector: SRTPVector) throws {
        let session = try vector.session()
        let trailer = SRTPSession.trailerLength(vector.profile)
        let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 7]
        Self.expect(.noRoom) { try Self.protect(Self.packet(1), room: trailer.rtp - 1, session) }
        Self.expect(.noRoom) { try Self.protect(report, isRTCP: true, room: trailer.rtcp - 1, session) }
        let packet = try Self.protect(Self.packet(1), room: trailer.rtp, session)
        #expect(packet.count == Self.packet(1).count + trailer.rtp)
        #expect(try Self.protect(report, isRTCP: true, room: trailer.rtcp, session).count == 8 + trailer.rtcp)
        Self.expect(.malformed) { try Self.protect([0x80], session) }
        Self.expect(.malformed) { try Self.protect([0x80], isRTCP: true, session) }
    }

    @Test("comes from no more senders than a call may have, and forged ones do not count")
    func sources() throws {
        let master = try Hex.decode(SRTPVector.all[1].master)
        let keys = SRTPKeys(.aeadAES128GCM, outgoing: master, incoming: master)
        let session = try SRTPSession(keys, maximumSources: 2)
        for ssrc: UInt32 in 100..<200 {
            Self.expect(.forged) {
                try Self.unprotect(Self.packet(1, ssrc: ssrc) + [UInt8](repeating: 0, count: 16), session)
            }
        }
        for ssrc: UInt32 in [1, 2] {
            #expect(try !Self.unprotect(Self.protect(Self.packet(1, ssrc: ssrc), session), session).isEmpty)
        }
        let third = try Self.protect(Self.packet(1, ssrc: 3), session)
        Self.expect(.tooManySources) { try Self.unprotect(third, session) }
        #expect(try !Self.unprotect(Self.protect(Self.packet(2, ssrc: 1), session), session).isEmpty)
        session.forget(1)
        session.forget(99)
        #expect(try Self.unprotect(third, session) == Self.packet(1, ssrc: 3))
        Self.expect(.tooManySources) { try Self.unprotect(Self.protect(Self.packet(3, ssrc: 1), session), session) }
    }

    @Test("takes keys of their own length only", arguments: SRTPVector.all)
    func keyLengths(vector: SRTPVector) throws {
        let master = try Hex.decode(vector.master)
        for wrong in [[], Array(master.dropLast()), master + [0]] {
            #expect(throws: SRTPError.self) {
                try SRTPSession(SRTPKeys(vector.profile, outgoing: master, incoming: wrong))
            }
        }
    }

    @Test("is refused when it is junk, whatever junk", arguments: 0..<10 as Range<UInt64>)
    func junk(seed: UInt64) throws {
        let session = try SRTPVector.all[Int(seed % 3)].session()
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            var junk = random.bytes(.random(in: 0...80, using: &random))
            if !junk.isEmpty, Bool.random(using: &random) { junk[0] = 0x80 | junk[0] & 0x3F }
            let isRTCP = Bool.random(using: &random)
            #expect(throws: SRTPError.self) { try Self.unprotect(junk, isRTCP: isRTCP, session) }
        }
    }
}
