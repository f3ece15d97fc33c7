import Testing
import Vocabulary

@Suite("An address")
struct AddressTests {
    @Test(
        "is written one way, however it was spelled",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("::ffff:192.0.2.1", "::ffff:c000:201"),
            ("fe80:0:0:0:0:0:0:1", "fe80::1"), ("0:0:1:0:0:0:0:0", "0:0:1::"),
        ]
    )
    func canonical(spelled: String, written: String) throws {
        let address = try #require(IPAddress(spelled))
        #expect(address.description == written)
        #expect(IPAddress(address.description) == address)
    }

    @Test(
        "is refused when it is none",
        arguments: [
            "", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.+4", ":", ":::", "1::2::3", "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9", "12345::", "g::", "1:2:3:4:5:6:7::8", "::1%eth0", " ::1", "+1::", "-0::", "1:-0::1",
            "::-1",
            "1.2.3.4::", "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4",
        ]
    )
    func refused(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("knows when IPv4 came dressed as IPv6")
    func unmapped() {
        #expect(IPAddress("::ffff:127.0.0.1")?.unmapped == .loopback)
        #expect(IPAddress("::ffff:127.0.0.1")?.isLoopback == true)
        #expect(IPAddress("2001:db8::1")?.unmapped == IPAddress("2001:db8::1"))
    }

    @Test("counts a client prefix once")
    func clientPrefix() {
        #expect(IPAddress("2001:db8::1")?.clientPrefix == IPAddress("2001:db8::ffff:1")?.clientPrefix)
        #expect(IPAddress("2001:db8:0:1::1")?.clientPrefix != IPAddress("2001:db8::1")?.clientPrefix)
        #expect(IPAddress("10.0.0.1")?.clientPrefix != IPAddress("10.0.0.2")?.clientPrefix)
    }

    @Test(
        "An address is read with its port",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1:8080"), ("[::1]:80", "[::1]:80"), ("localhost:0", "127.0.0.1:0"),
            (":9000", "0.0.0.0:9000"),
        ]
    )
    func sockets(text: String, written: String) {
        #expect(SocketAddress(text)?.description == written)
    }

    @Test(
        "needs a port, and a whole one",
        arguments: ["127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[127.0.0.1]:80", "host:1"]
    )
    func refusedSockets(text: String) {
        #expect(SocketAddress(text) == nil)
    }
}

@Suite("A network")
struct NetworkTests {
    @Test(
        "holds the addresses that begin as it does",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3", "10.1.2.4", false), ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false), ("2001:db8::/96", "2001:db8::1:1", true),
            ("2001:db8::/96", "2001:db8::1:0:1", false), ("::1", "::1", true), ("::/0", "fe80::1", true),
            ("::ffff:10.0.0.1", "10.0.0.1", true),
        ])
    func contains(network: String, address: String, isInside: Bool) throws {
        let network = try #require(IPNetwork(network))
        #expect(network.contains(try #require(IPAddress(address))) == isInside)
        #expect(IPNetwork(network.description) == network)
    }

    @Test(
        "is refused when it is none",
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0.0/8/8",
            "10.0.0.0/99999999999999999999",
        ])
    func refused(text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
