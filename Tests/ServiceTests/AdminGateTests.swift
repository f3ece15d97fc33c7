import Testing

@testable import Service

@Suite("The gate of the admin listener")
struct AdminGateTests {
    private let gate = AdminGate(names: ["Ops.example.org"])

    @Test(
        "lets in who names the server by address, as localhost, or by a name that was allowed",
        arguments: [
            "127.0.0.1:8081", "127.0.0.1", "[::1]:8081", "[::1]", "192.0.2.1:80", "localhost", "LOCALHOST:8081",
            "ops.example.org", "ops.example.org:8081", "OPS.example.org",
        ])
    func names(authority: String) {
        #expect(self.gate.admits(authority: authority, origin: nil))
    }

    @Test(
        "keeps out a page whose name was bent to our address, and a request without a name",
        arguments: [
            "evil.example", "evil.example:8081", "127.0.0.1.evil.example", "localhost.evil.example:8081", "127.0.0.1.",
            "ops.example.org.evil.example", "2130706433", nil,
        ])
    func rebinding(authority: String?) {
        #expect(!self.gate.admits(authority: authority, origin: nil))
    }

    @Test("keeps out every web page", arguments: ["https://evil.example", "http://127.0.0.1:8081", "null", ""])
    func pages(origin: String) {
        #expect(!self.gate.admits(authority: "127.0.0.1:8081", origin: origin))
    }
}
