import STUN
import TURN
import Testing
import Vocabulary

@Suite("A relay's peers")
struct PeerPolicyTests {
    @Test(
        "Q08 CVE-2020-26262 CVE-2026-27624 are never this machine, in whichever way its address is written",
        arguments: [
            "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::1", "::", "::ffff:127.0.0.1", "::ffff:0.0.0.0",
            "::127.0.0.1",
            "64:ff9b::7f00:1", "2002:7f00:1::",
        ])
    func loopback(text: String) throws { #expect(!AddressPolicy().allows(try #require(IPAddress(text)))) }

    @Test(
        "Q08 are of the public internet",
        arguments: [
            "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1", "198.18.0.1", "192.0.0.8", "fe80::1", "fd00::1", "ff02::1", "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1", "2002:a00:1::", "2001:0:1::", "fec0::1",
        ])
    func privateNetworks(text: String) throws { #expect(!AddressPolicy().allows(try #require(IPAddress(text)))) }

    @Test(
        "Q08 may be anywhere else", arguments: ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2607:f8b0::1", "2a00:1450::1"])
    func publicNetworks(text: String) throws { #expect(AddressPolicy().allows(try #require(IPAddress(text)))) }

    @Test("Q08 are where the operator says, too")
    func allowed() throws {
        var policy = AddressPolicy()
        policy.allowed = [try #require(IPNetwork("10.0.0.0/8"))]
        #expect(policy.allows(try #require(IPAddress("10.1.1.1"))))
        #expect(policy.allows(try #require(IPAddress("::ffff:10.1.1.1"))))
        #expect(!policy.allows(try #require(IPAddress("192.168.1.1"))))
    }

    @Test("Q08 CVE-2018-4058 CVE-2020-26262 are refused when a client asks for them")
    func refused() throws {
        let scene = TURNServerScene()
        let client = SceneClient(scene)
        client.allocate()
        for text in ["127.0.0.1", "0.0.0.0", "10.0.0.1", "169.254.169.254"] {
            let peer = SocketAddress(try #require(IPAddress(text)), port: 80)
            #expect(client.permit(peer).code == 403 && client.bind(0x4000, to: peer).code == 403)
        }
        // Our own address is where neighbours are; nothing else of this machine is reached by it.
        let own = SocketAddress(TURNServerScene.server, port: 22)
        #expect(client.permit(own).code == nil)
        client.send([1], to: own)
        #expect(scene.relays[0].sent.isEmpty)
    }
}
