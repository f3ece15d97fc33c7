import Client
import Testing
import Vocabulary

@Suite("The address of a server")
struct ServerURLTests {
    @Test(
        "is read in every form people write",
        arguments: [
            ("http://localhost:8080", "http://localhost:8080"), ("http://127.0.0.1/", "http://127.0.0.1:80"),
            ("HTTPS://Talk.Example", "https://Talk.Example:443"), ("https://[::1]:8443", "https://[::1]:8443"),
            ("http://[2001:db8::1]", "http://[2001:db8::1]:80"),
        ])
    func reads(text: String, full: String) throws {
        let server = try #require(ServerURL(text))
        #expect(server.description == full && ServerURL(full) == server)
    }

    @Test(
        "is told to the server without the usual port",
        arguments: [
            ("https://id.example", "id.example"), ("https://id.example:8443", "id.example:8443"),
            ("http://id.example:80", "id.example"), ("http://id.example:443", "id.example:443"),
            ("https://[2001:db8::1]", "[2001:db8::1]"), ("http://127.0.0.1", "127.0.0.1"),
        ])
    func authority(text: String, host: String) { #expect(ServerURL(text)?.authority == host) }

    @Test(
        "is refused in any other form",
        arguments: [
            "", "localhost", "ftp://a", "http://", "http://:80", "http://a:", "http://a:65536", "http://a:-1",
            "http://a/b", "http://u@a", "http://a b", "http://[::1", "http://[127.0.0.1]", "http://a\r\nb", "http://ä",
            "http://a?x", "http://::1",
        ])
    func refuses(text: String) {
        #expect(ServerURL(text) == nil)
    }
}
