import ICE
import Pathways
import STUN
import Secure
import Testing
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The relay's machine and its shell against the server that most people run.
@Suite("A relay at coturn", .enabled(if: CoTURN.isInstalled), .timeLimit(.minutes(2)), .serialized)
struct CoTURNTests {
    @Test("speaks with peers of both families, by indications and by channels", arguments: TURNTransport.allCases)
    func speaks(transport: TURNTransport) async throws {
        let server = try CoTURN()
        let settings = TURNSettings(transport: transport, families: [.ipv4, .ipv6])
        let happened = try await RelayStory.play(
            [
                .permit(.loopback), .echo(.loopback), .echo(.loopback6), .bind(.loopback), .echo(.loopback),
                .bind(.loopback6), .echo(.loopback6),
            ], settings, at: server.address())
        #expect(
            happened == [
                "allocated [127.0.0.1, ::1]", "permitted", "echo", "echo", "bound", "echo", "bound", "echo", "closed",
            ])
    }

    @Test("reaches the server over IPv6 as well", arguments: TURNTransport.allCases)
    func ipv6(transport: TURNTransport) async throws {
        let server = try CoTURN()
        let happened = try await RelayStory.play(
            [.echo(.loopback6)], TURNSettings(transport: transport, families: [.ipv6]), at: server.address(.loopback6))
        #expect(happened == ["allocated [::1]", "echo", "closed"])
    }

    @Test("lives on through refreshes and nonces that grow stale", arguments: [TURNTransport.udp, .tls])
    func refreshes(transport: TURNTransport) async throws {
        let server = try CoTURN("--max-allocate-lifetime=3", "--stale-nonce=1")
        let steps: [RelayStory.Step] = [.bind(.loopback), .echo(.loopback), .rest(.seconds(4)), .echo(.loopback)]
        let happened = try await RelayStory.play(steps, TURNSettings(transport: transport), at: server.address())
        #expect(happened == ["allocated [127.0.0.1]", "bound", "echo", "rested", "echo", "closed"])
    }

    @Test("is told whom it may not speak with")
    func forbidden() async throws {
        let server = try CoTURN("--denied-peer-ip=127.0.0.1")
        let happened = try await RelayStory.play([.echo(.loopback)], TURNSettings(), at: server.address())
        #expect(happened == ["allocated [127.0.0.1]", "forbidden: 403", "closed"])
    }

    @Test("is told that its password is wrong", arguments: TURNTransport.allCases)
    func wrongPassword(transport: TURNTransport) async throws {
        let server = try CoTURN()
        let happened = try await RelayStory.play(
            [.echo(.loopback)], TURNSettings(transport: transport), at: server.address(),
            as: TURNAccount(username: "user", password: "word"))
        #expect(happened == ["failed: 401", "closed"])
    }

    @Test("is told that there are enough of its kind")
    func quota() async throws {
        let server = try CoTURN("--user-quota=1")
        let place = server.address()
        async let first = RelayStory.play([.rest(.milliseconds(700))], TURNSettings(), at: place)
        async let second = RelayStory.play([.rest(.milliseconds(700))], TURNSettings(), at: place)
        let both = try await [first, second]
        #expect(both.contains(["allocated [127.0.0.1]", "rested", "closed"]))
        #expect(both.contains(["failed: 486", "closed"]))
    }

    @Test("comes in with credentials that end by themselves, before their end and not after", arguments: [60, -60])
    func timeLimited(seconds: Int64) async throws {
        let secret = "north"
        let server = try CoTURN(accounts: ["--use-auth-secret", "--static-auth-secret=\(secret)"])
        let now = WallTime(seconds: Int64(time(nil)) + seconds)
        let user = try #require(UserID("M4XIcP_At5gro2LG8Wxs"))
        let made = TURNCredentials(for: user, secret: Array(secret.utf8), life: .zero, at: now)
        let happened = try await RelayStory.play(
            [.echo(.loopback)], TURNSettings(), at: server.address(),
            as: TURNAccount(username: made.username, password: made.credential))
        #expect(happened == (seconds > 0 ? ["allocated [127.0.0.1]", "echo", "closed"] : ["failed: 401", "closed"]))
    }

    @Test("goes to the server it is sent to", arguments: [TURNTransport.udp, .tcp, .dtls])
    func redirected(transport: TURNTransport) async throws {
        let other = try CoTURN()
        // Nobody has an account here, so who gets a relay has it from the other one.
        let place = "127.0.0.1:\(other.port)"
        let server = try CoTURN(
            "--alternate-server=\(place)", "--tls-alternate-server=\(place)",
            accounts: ["--lt-cred-mech", "--user=nobody:here"])
        let happened = try await RelayStory.play(
            [.bind(.loopback), .echo(.loopback)], TURNSettings(transport: transport), at: server.address())
        #expect(happened == ["allocated [127.0.0.1]", "bound", "echo", "closed"])
    }

    @Test("lives on through refreshes and stale nonces where a fifth of all packets gets lost")
    func lossy() async throws {
        let server = try CoTURN("--max-allocate-lifetime=8", "--stale-nonce=3")
        var settings = TURNSettings()
        settings.firstTimeout = .milliseconds(50)
        let steps: [RelayStory.Step] = [.bind(.loopback), .echo(.loopback), .rest(.seconds(14)), .echo(.loopback)]
        let seen = try await DatagramProxy.with(to: server.address(), loss: 0.2) { place in
            let happened = try await RelayStory.play(steps, settings, at: place)
            #expect(happened == ["allocated [127.0.0.1]", "bound", "echo", "rested", "echo", "closed"])
        }
        #expect(seen.lost > 0)
    }

    @Test("comes from another port where somebody before it has a relay by the same (437)")
    func mismatch() async throws {
        let server = try CoTURN()
        let seen = try await DatagramProxy.with(to: server.address(), sharing: 2) { place in
            let first = try await RelayStory.play([.echo(.loopback), .vanish], TURNSettings(), at: place)
            #expect(first == ["allocated [127.0.0.1]", "echo", "vanished"])
            let second = try await RelayStory.play([.echo(.loopback)], TURNSettings(), at: place)
            #expect(second == ["allocated [127.0.0.1]", "echo", "closed"])
        }
        // The first relay's, the one that was refused, and the one after it.
        #expect(seen.clients == 3)
    }

    @Test("signs in however its name and password are spelled")
    func spellings() async throws {
        let server = try CoTURN(accounts: ["--lt-cred-mech", "--user=m\u{FC}ller:p\u{E4}sse"])
        let account = TURNAccount(username: "mu\u{308}ller", password: "pa\u{308}sse")
        let happened = try await RelayStory.play([.echo(.loopback)], TURNSettings(), at: server.address(), as: account)
        #expect(happened == ["allocated [127.0.0.1]", "echo", "closed"])
    }

    @Test("says so when nobody is there", arguments: TURNTransport.allCases)
    func nobody(transport: TURNTransport) async throws {
        var settings = TURNSettings(transport: transport)
        settings.firstTimeout = .milliseconds(5)
        let happened = try await RelayStory.play([.echo(.loopback)], settings, at: SocketAddress(.loopback, port: 9))
        #expect(happened == [transport == .udp ? "failed: no answer" : "failed: not connected", "closed"])
    }
}
