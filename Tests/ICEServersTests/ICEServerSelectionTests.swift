import ICEServers
import Testing

@Suite("A selection of ICE servers")
struct ICEServerSelectionTests {
    private static let file = """
        {"iceServers": [
            {"urls": ["turn:a", "turn:b?transport=tcp"], "secret": "env:TURN_SECRET", "ttl": 600},
            {"urls": "stun:c"},
            {"urls": "turn:d", "username": "u", "credential": "p\\"w"}
        ]}
        """

    private static func url(_ text: String) throws -> ICEServerURL { try #require(ICEServerURL(text)) }

    @Test("keeps what stood beside each URL, and names no secret that the file did not name")
    func keeps() throws {
        var selection = ICEServerSelection()
        selection.add(file: Array(Self.file.utf8))
        let urls = try ["stun:c", "turn:b?transport=tcp", "turn:d"].map(Self.url)
        let text = String(decoding: selection.file(of: urls), as: UTF8.self)
        #expect(
            text == """
                {"iceServers":[{"urls":"stun:c"},\
                {"urls":"turn:b?transport=tcp","secret":"env:TURN_SECRET","ttl":600},\
                {"urls":"turn:d","username":"u","credential":"p\\"w"}]}

                """)
        let list = try ICEServerList(parsing: Array(text.utf8), environment: ["TURN_SECRET": "north"])
        #expect(list.servers.map { $0.urls[0].text } == urls.map(\.text))
    }

    @Test("takes servers that come from elsewhere")
    func elsewhere() throws {
        var selection = ICEServerSelection()
        selection.add(try Self.url("turn:e"), username: "me", credential: "no\"body")
        selection.add(try Self.url("stun:f"), username: nil, credential: nil)
        let bytes = selection.file(of: try ["turn:e", "stun:f"].map(Self.url))
        let list = try ICEServerList(parsing: bytes, environment: [:])
        #expect(list.servers[0].credentials == .fixed(username: "me", credential: "no\"body"))
        #expect(list.servers[1].credentials == .none)
    }

    @Test(
        "knows a URL's parts",
        arguments: [
            ("stun:a", "a", nil, nil), ("turn:[::1]:99?transport=tcp", "::1", 99, .tcp),
            ("turns:b.c?transport=udp", "b.c", nil, .udp),
        ] as [(String, String, UInt16?, ICEServerURL.Transport?)])
    func parts(text: String, host: String, port: UInt16?, transport: ICEServerURL.Transport?) throws {
        let url = try Self.url(text)
        #expect(url.host == host && url.port == port && url.transport == transport)
    }
}
