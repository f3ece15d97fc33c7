import Bytes
import STUN
import Testing
import Vocabulary

@Suite("STUN, by the examples of its standards,")
struct STUNVectorTests {
    @Test("J09 reads the request of RFC 5769 §2.1 and knows who signed it")
    func request() throws {
        let bytes = STUNSamples.request
        let message = try STUNMessage(parsing: bytes.span)
        #expect(message.type == STUNMessageType(.request))
        #expect(message.transaction == STUNSamples.transaction)
        #expect(message.text(of: .software) == "STUN test client")
        #expect(message.number(of: .priority) == UInt32(0x6E00_01FF))
        #expect(message.number(of: .iceControlled) == UInt64(0x932F_F9B1_5126_3B36))
        #expect(message.text(of: .username) == "evtj:h6vY")
        #expect(message.hasRightFingerprint == true)
        #expect(message.isAuthentic(STUNKey(shortTerm: STUNSamples.password)) == true)
        #expect(message.isAuthentic(STUNKey(shortTerm: STUNSamples.password + "x")) == false)
    }

    @Test("J09 reads the responses of RFC 5769 §2.2 and §2.3")
    func responses() throws {
        let key = STUNKey(shortTerm: STUNSamples.password)
        let bytes = (STUNSamples.ipv4Response, STUNSamples.ipv6Response)
        let ipv4 = try STUNMessage(parsing: bytes.0.span)
        #expect(ipv4.type == STUNMessageType(.success))
        #expect(ipv4.mappedAddress == SocketAddress("192.0.2.1:32853"))
        #expect(ipv4.text(of: .software) == "test vector")
        let ipv6 = try STUNMessage(parsing: bytes.1.span)
        #expect(ipv6.mappedAddress == SocketAddress("[2001:db8:1234:5678:11:2233:4455:6677]:32853"))
        #expect(ipv4.isAuthentic(key) && ipv4.hasRightFingerprint)
        #expect(ipv6.isAuthentic(key) && ipv6.hasRightFingerprint)
    }

    @Test("J09 checks the long-term credential of RFC 5769 §2.4")
    func longTerm() throws {
        let bytes = STUNSamples.longTerm
        let message = try STUNMessage(parsing: bytes.span)
        #expect(message.text(of: .username) == STUNSamples.longTermUser)
        #expect(message.text(of: .nonce) == "f//499k954d6OL34oL9FSTvy64sA")
        let realm = message.text(of: .realm) ?? ""
        let key = STUNKey(
            longTerm: STUNSamples.longTermUser, realm: realm, password: STUNSamples.longTermPassword)
        #expect(message.isAuthentic(key) == true)
        #expect(message.hasFingerprint == false)
    }

    @Test("J09 checks the SHA-256 credential and the hidden name of RFC 8489 B.1")
    func longTermSHA256() throws {
        let bytes = STUNSamples.longTermSHA256
        let message = try STUNMessage(parsing: bytes.span)
        let realm = message.text(of: .realm) ?? ""
        let hash = STUNUserHash.of(STUNSamples.longTermUser, realm: realm)
        let isHidden = message.value(of: .userHash)?.hasSameBytes(as: hash.span)
        #expect(isHidden == true)
        #expect(message.passwordAlgorithm == STUNPasswordAlgorithm.sha256.rawValue)
        let key = STUNKey(
            longTerm: STUNSamples.longTermUser, realm: realm, password: STUNSamples.longTermPassword,
            algorithm: .sha256)
        #expect(message.has(.sha256) && !message.has(.sha1))
        #expect(message.isAuthentic(key) == true)
        let nonce = message.text(of: .nonce) ?? ""
        #expect(STUNSecurityFeatures(ofNonce: nonce) == .usernameAnonymity)
    }

    @Test("J09 writes the responses of RFC 5769 to the byte, but for its padding")
    func writes() throws {
        let address = try #require(SocketAddress("192.0.2.1:32853"))
        var writer = STUNWriter(.success, STUNMethod.binding, STUNSamples.transaction)
        // The example pads with a space, we pad with zero, and a space within the text is neither.
        writer.append(.software, text: "test vector ")
        writer.append(.xorMappedAddress, address)
        let written = writer.finish().bytes
        #expect(written.count == 20 + 16 + 12)
        #expect(written[4..<22] == STUNSamples.ipv4Response[4..<22])
        #expect(written[24...] == STUNSamples.ipv4Response[24..<48])

        var signed = STUNWriter(
            .request, STUNMethod.binding, TransactionID(high: 0x78AD_3433, low: 0xC6AD_72C0_29DA_412E))
        signed.append(.username, text: STUNSamples.longTermUser)
        signed.append(.nonce, text: "f//499k954d6OL34oL9FSTvy64sA")
        signed.append(.realm, text: "example.org")
        signed.appendIntegrity(
            STUNKey(
                longTerm: STUNSamples.longTermUser, realm: "example.org", password: STUNSamples.longTermPassword))
        #expect(signed.finish().bytes == STUNSamples.longTerm)
    }

    @Test("J09 writes the request of RFC 8489 B.1 to the byte")
    func writesSHA256() {
        var writer = STUNWriter(
            .request, STUNMethod.binding, TransactionID(high: 0x78AD_3433, low: 0xC6AD_72C0_29DA_412E))
        writer.append(.userHash, STUNUserHash.of(STUNSamples.longTermUser, realm: "example.org").span)
        writer.append(.nonce, text: "obMatJos2AAACf//499k954d6OL34oL9FSTvy64sA")
        writer.append(.realm, text: "example.org")
        writer.append(passwordAlgorithm: .sha256)
        writer.appendIntegritySHA256(
            STUNKey(
                longTerm: STUNSamples.longTermUser, realm: "example.org", password: STUNSamples.longTermPassword,
                algorithm: .sha256))
        #expect(writer.finish().bytes == STUNSamples.longTermSHA256)
    }
}
