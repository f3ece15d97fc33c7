import ICEServers
import JSON
import TestSupport
import Testing
import Vocabulary

@Suite("A list of ICE servers")
struct ICEServerListTests {
    private static let now = WallTime(seconds: 1_700_000_000)
    private static let environment = ["TURN_SECRET": "north", "EMPTY": ""]

    private func list(_ text: String) throws(ICEServerFileError) -> ICEServerList {
        try ICEServerList(parsing: Array(text.utf8), environment: Self.environment)
    }

    private func json(_ offer: ICEServerOffer) -> String {
        var json = JSONWriter()
        offer.write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test("gives each user the W3C shape, with credentials of their own and our server first")
    func offer() throws {
        let list = try self.list(
            """
            {"iceServers": [
                {"urls": "stun:stun.example.net:3478"},
                {"urls": ["turn:turn.example.net?transport=udp", "turns:turn.example.net:443?transport=tcp"],
                 "secret": "env:TURN_SECRET"},
                {"urls": ["turn:[2001:db8::1]:3478"], "username": "fixed", "credential": "pass\\"word",
                 "credentialType": "password"}
            ]}
            """)
        let alice = try #require(UserID("alice"))
        let ours = try #require(ICEServerURL("stun:192.0.2.1:3478"))
        let offer = list.offer(to: alice, builtIn: [ICEServer(urls: [ours], credentials: .none)], at: Self.now)
        #expect(
            self.json(offer)
                == #"[{"urls":["stun:192.0.2.1:3478"]},{"urls":["stun:stun.example.net:3478"]},"#
                + #"{"urls":["turn:turn.example.net?transport=udp","turns:turn.example.net:443?transport=tcp"],"#
                + #""username":"1700000600:alice","credential":"gthUwOpcRoLI0MMCziCEBOWYnpo="},"#
                + #"{"urls":["turn:[2001:db8::1]:3478"],"username":"fixed","credential":"pass\"word"}]"#)
        #expect(offer.expiry == Self.now + .seconds(600))
        #expect(offer.refresh == Self.now + .seconds(480))
        let bob = try #require(UserID("bob"))
        #expect(list.offer(to: bob, at: Self.now).servers[1].username == "1700000600:bob")
    }

    @Test("says when the first of its credentials needs to be renewed")
    func refresh() throws {
        let list = try self.list(
            #"{"iceServers":[{"urls":"turn:a","secret":"x","ttl":300},{"urls":"turn:b","secret":"y","ttl":60}]}"#)
        let user = try #require(UserID("u"))
        let offer = list.offer(to: user, at: Self.now)
        #expect(offer.expiry == Self.now + .seconds(60))
        #expect(offer.refresh == Self.now + .seconds(48))
        let plain = try self.list(#"{"iceServers":[{"urls":"stun:a"}]}"#).offer(to: user, at: Self.now)
        #expect(plain.expiry == nil && plain.refresh == nil)
        #expect(self.json(try self.list(#"{"iceServers":[]}"#).offer(to: user, at: Self.now)) == "[]")
    }

    @Test(
        "is refused with the place of the mistake",
        arguments: [
            ("", "", ICEServerFileError.Problem.notJSON(offset: 0)),
            (#"{"iceServers":[}"#, "", .notJSON(offset: 15)),
            ("[]", "", .wrongKind(wanted: "an object")),
            ("{}", "", .missing("iceServers")),
            (#"{"iceServers":{}}"#, "iceServers", .wrongKind(wanted: "an array")),
            (#"{"iceServers":[],"x":1}"#, "x", .unknownMember),
            (#"{"iceServers":[],"iceServers":[]}"#, "iceServers", .duplicatedMember),
            (#"{"iceServers":["stun:a"]}"#, "iceServers[0]", .wrongKind(wanted: "an object")),
            (#"{"iceServers":[{}]}"#, "iceServers[0]", .missing("urls")),
            (#"{"iceServers":[{"url":"stun:a"}]}"#, "iceServers[0].url", .unknownMember),
            (#"{"iceServers":[{"urls":[]}]}"#, "iceServers[0].urls", .noURL),
            (#"{"iceServers":[{"urls":7}]}"#, "iceServers[0].urls", .wrongKind(wanted: "a text")),
            (#"{"iceServers":[{"urls":""}]}"#, "iceServers[0].urls", .empty),
            (#"{"iceServers":[{"urls":"stun:a"},{"urls":["stun:a","http://b"]}]}"#, "iceServers[1].urls[1]", .wrongURL),
            (#"{"iceServers":[{"urls":"turn:a"}]}"#, "iceServers[0]", .noCredentials),
            (#"{"iceServers":[{"urls":["stun:a","turn:a"]}]}"#, "iceServers[0]", .noCredentials),
            (#"{"iceServers":[{"urls":"stun:a","secret":"x"}]}"#, "iceServers[0]", .uselessCredentials),
            (#"{"iceServers":[{"urls":"turn:a","username":"u"}]}"#, "iceServers[0]", .missing("credential")),
            (#"{"iceServers":[{"urls":"turn:a","credential":"c"}]}"#, "iceServers[0]", .missing("username")),
            (#"{"iceServers":[{"urls":"turn:a","username":"","credential":"c"}]}"#, "iceServers[0].username", .empty),
            (
                #"{"iceServers":[{"urls":"turn:a","secret":"s","username":"u"}]}"#, "iceServers[0]",
                .credentialsBesideSecret
            ),
            (#"{"iceServers":[{"urls":"turn:a","secret":""}]}"#, "iceServers[0].secret", .empty),
            (#"{"iceServers":[{"urls":"turn:a","secret":"env:NO"}]}"#, "iceServers[0].secret", .noSuchVariable("NO")),
            (#"{"iceServers":[{"urls":"turn:a","secret":"env:EMPTY"}]}"#, "iceServers[0].secret", .empty),
            (#"{"iceServers":[{"urls":"turn:a","secret":"s","ttl":601}]}"#, "iceServers[0].ttl", .lifeOutOfRange),
            (#"{"iceServers":[{"urls":"turn:a","secret":"s","ttl":59}]}"#, "iceServers[0].ttl", .lifeOutOfRange),
            (#"{"iceServers":[{"urls":"turn:a","secret":"s","ttl":"300"}]}"#, "iceServers[0].ttl", .lifeOutOfRange),
            (#"{"iceServers":[{"urls":"stun:a","ttl":300}]}"#, "iceServers[0].ttl", .missing("secret")),
            (
                #"{"iceServers":[{"urls":"turn:a","username":"u","credential":"c","credentialType":"oauth"}]}"#,
                "iceServers[0].credentialType", .wrongKind(wanted: "\"password\"")
            ),
        ])
    func mistakes(text: String, path: String, problem: ICEServerFileError.Problem) throws {
        let error = #expect(throws: ICEServerFileError.self) { try self.list(text) }
        #expect(error?.path == path)
        #expect(error?.problem == problem)
        #expect(error?.description.hasPrefix(path) == true)
    }

    @Test("A list of ICE servers has at most 32 entries, each with its limits")
    func limits() throws {
        let servers = [String](repeating: #"{"urls":"stun:a"}"#, count: 33)
        let full = "{\"iceServers\":[\(servers.dropLast().joined(separator: ","))]}"
        #expect(try self.list(full).servers.count == 32)
        let error = #expect(throws: ICEServerFileError.self) {
            try self.list("{\"iceServers\":[\(servers.joined(separator: ","))]}")
        }
        #expect(error?.problem == .tooMany(limit: 32))
        let urls = [String](repeating: #""stun:a""#, count: 17).joined(separator: ",")
        let second = #expect(throws: ICEServerFileError.self) {
            try self.list("{\"iceServers\":[{\"urls\":[\(urls)]}]}")
        }
        #expect(second?.problem == .tooMany(limit: 16))
        let third = #expect(throws: ICEServerFileError.self) {
            try self.list(full + String(repeating: " ", count: 65_536))
        }
        #expect(third?.problem == .tooLarge)
    }

    @Test("cut anywhere, or with a byte changed, is refused or read, and nothing worse")
    func damage() throws {
        let text = Array(
            #"{"iceServers":[{"urls":["turn:a:1?transport=tcp"],"secret":"env:TURN_SECRET","ttl":60}]}"#.utf8)
        var random = SeededRandom(seed: 11)
        for index in text.indices {
            #expect(throws: ICEServerFileError.self) {
                try ICEServerList(parsing: Array(text[..<index]), environment: Self.environment)
            }
            for _ in 0..<40 {
                var changed = text
                changed[index] = UInt8.random(in: .min ... .max, using: &random)
                let list = try? ICEServerList(parsing: changed, environment: Self.environment)
                #expect(list == nil || list?.servers.count == 1)
            }
        }
    }
}

@Suite("The URL of an ICE server")
struct ICEServerURLTests {
    @Test(
        "is one of RFC 7064 and RFC 7065",
        arguments: [
            "stun:example.org", "stun:example.org:3478", "stuns:192.0.2.7:5349", "turn:a_b-c.d", "TURN:example.org",
            "turn:example.org?transport=udp", "turns:[2001:db8::1]:443?transport=tcp", "stun:[::ffff:192.0.2.1]",
        ])
    func good(text: String) {
        #expect(ICEServerURL(text)?.text == text)
    }

    @Test(
        "Text that is no STUN or TURN URL is refused",
        arguments: [
            "", ":", "stun", "stun:", "stun://example.org", "http:example.org", "stun:example.org:", "stun:a:0",
            "stun:a:65536", "stun:a:+1", "stun:a:1:2", "stun:[::1", "stun:::1", "stun:[]", "stun:[g::]", "stun:[::1]x",
            "turn:a?", "turn:a?transport=sctp", "stun:a?transport=udp", "turn:a?transport=udp&x=1", "stun:a b",
            "stun:é.example", " stun:a", "stun:user@host", String(repeating: "stun:a", count: 60),
        ])
    func bad(text: String) {
        #expect(ICEServerURL(text) == nil)
    }
}
