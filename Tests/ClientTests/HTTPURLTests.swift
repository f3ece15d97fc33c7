import Client
import Testing
import Vocabulary

@Suite("The address of something on a server")
struct HTTPURLTests {
    @Test(
        "is a server, a path and perhaps a query",
        arguments: [
            ("https://example.org", "https://example.org:443/"),
            ("https://example.org?x", "https://example.org:443/?x"),
            ("http://[::1]:80/a/b?c=d", "http://[::1]:80/a/b?c=d"),
        ])
    func reads(text: String, full: String) { #expect(HTTPURL(text)?.description == full) }

    @Test(
        "is refused with a user, a fragment, or what fits into no request line",
        arguments: [
            "https://me@example.org/", "https://me:word@example.org/", "https://example.org/#part",
            "https://example.org/a b",
            "https://example.org/\r\nX: y", "ftp://example.org/", "example.org/a", "file:///etc/passwd", "",
        ])
    func refuses(text: String) { #expect(HTTPURL(text) == nil) }

    @Test(
        "leads where a redirect says, in the forms that name a server or a whole path",
        arguments: [
            ("/next?x", "https://example.org:443/next?x"), ("//other.org/a", "https://other.org:443/a"),
            ("http://other.org/a#part", "http://other.org:80/a"), ("next", nil), ("", nil),
            ("javascript:alert(1)", nil),
            ("https://me@other.org/", nil), ("gopher://other.org/", nil),
        ])
    func redirects(location: String, next: String?) throws {
        let url = try #require(HTTPURL("https://example.org/here"))
        #expect(url.resolving(location: location)?.description == next)
    }
}

@Suite("What a request may reach")
struct HTTPCallRulesTests {
    private static let secure = ServerURL(.name("push.example"), port: 443, isEncrypted: true)

    @Test(
        "for a stranger is no address that leads elsewhere than to the public internet",
        arguments: [
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:10.0.0.1", "::ffff:8.8.8.8",
            "64:ff9b::a00:1", "64:ff9b::808:808", "2002:a00:1::", "2001:0:1::", "::127.0.0.1",
        ])
    func refused(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!HTTPCallRules(.stranger).allows(address, of: Self.secure))
        #expect(HTTPCallRules(.operatorOrUser).allows(address, of: Self.secure))
    }

    @Test("for a stranger is the public internet, by TLS on port 443")
    func usualPort() throws {
        let (rules, address) = (HTTPCallRules(.stranger), try #require(IPAddress("8.8.8.8")))
        #expect(rules.allows(address, of: Self.secure))
        #expect(rules.allows(try #require(IPAddress("2a00:1450::1")), of: Self.secure))
        #expect(!rules.allows(address, of: ServerURL(.name("push.example"), port: 8443, isEncrypted: true)))
        #expect(!rules.allows(address, of: ServerURL(.name("push.example"), port: 443)))
        #expect(!rules.allows(address, of: ServerURL(.name("push.example"), port: 80)))
    }
}
