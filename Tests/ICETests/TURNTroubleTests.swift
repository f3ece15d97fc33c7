import Bytes
import ICE
import STUN
import TestSupport
import Testing
import Vocabulary

@Suite("A TURN client in trouble")
struct TURNTroubleTests {
    @Test("says what the server objects to", arguments: [401, 440, 442, 486, 508])
    func refusals(code: Int) throws {
        let scene = try TURNScene { temper in
            switch code {
            case 401: temper.password = { _ in "another" }
            case 440: temper.families = [.ipv6]
            case 442: temper.transports = [6]
            case 486: temper.quota = 0
            default: temper.capacity = 0
            }
        }
        #expect(scene.allocate() == nil)
        let expected = try #require(STUNErrorCode(rawValue: code))
        #expect(scene.caller.events == [.failed(.refused(expected, reason: "because")), .closed])
        // Asked, challenged, and asked once more: nobody knocks again with a wrong password.
        #expect(scene.caller.sentAt.count == 2)
    }

    @Test("speaks with nobody whom the server will not relay to")
    func forbidden() throws {
        let scene = try TURNScene { $0.forbidden = [TURNScene.peer4.ip] }
        _ = scene.allocate()
        #expect(!scene.echoes())
        #expect(scene.caller.events.last == .forbidden(TURNScene.peer4.ip, .refused(.forbidden, reason: "because")))
        let before = scene.caller.sentAt.count
        #expect(!scene.echoes())
        #expect(scene.caller.sentAt.count == before)
    }

    @Test("repeats what is not answered as RFC 8489 says, and then gives up")
    func silence() throws {
        let scene = try TURNScene { $0.isSilent = true }
        #expect(scene.allocate() == nil)
        #expect(scene.caller.sentAt == [0, 500, 1500, 3500, 7500, 15_500, 31_500].map { Instant(milliseconds: $0) })
        #expect(scene.caller.events == [.failed(.silent), .closed])
    }

    @Test("asks once over a stream and gives up as late")
    func silentStream() throws {
        let scene = try TURNScene(TURNSettings(transport: .tcp)) { $0.isSilent = true }
        scene.caller.start()
        scene.run(.seconds(39))
        #expect(scene.caller.sentAt.count == 1 && scene.caller.events.isEmpty)
        scene.run(.seconds(2))
        #expect(scene.caller.events == [.failed(.silent), .closed])
    }

    @Test("A TURN client follows a redirection to another server", arguments: [TURNTransport.udp, .tcp])
    func redirected(transport: TURNTransport) throws {
        let scene = try TURNScene(TURNSettings(transport: transport)) {
            $0.alternate = SocketAddress(.v4(0xC633_6409), port: 3479)
        }
        let other = try VirtualTURNServer(
            on: scene.network.addHost(.v4(0xC633_6409)), of: scene.network, port: 3479)
        other.temper.realm = "other.example"
        #expect(scene.allocate()?.relayed.map(\.ip) == [.v4(0xC633_6409)])
        #expect(other.allocationCount == 1)
        #expect(scene.echoes())
    }

    @Test("is not sent in circles")
    func circles() throws {
        let away = SocketAddress(.v4(0xC633_6409), port: 3478)
        let scene = try TURNScene { $0.alternate = away }
        let other = try VirtualTURNServer(on: scene.network.addHost(away.ip), of: scene.network)
        other.temper.alternate = TURNScene.server
        #expect(scene.allocate() == nil)
        #expect(scene.caller.events.suffix(2) == [.failed(.redirectedTooOften), .closed])
    }

    @Test("comes from another port when somebody before it had an allocation there")
    func mismatch() throws {
        let scene = try TURNScene()
        let host = scene.network.addHost(.v4(0xCB00_7109))
        let account = TURNScene.account
        func caller() -> TURNCaller {
            let client = TURNClient(
                TURNSettings(), server: TURNScene.server, account: account, random: scene.network.makeRandom())
            return TURNCaller(scene.network, host, client)
        }
        let first = caller()
        first.start()
        scene.run(.seconds(1))
        scene.server.claim(try #require(first.allocation?.mapped?.nextPort), for: "user")
        let second = caller()
        second.start()
        scene.run(.seconds(1))
        #expect(second.events.first == .reopen(TURNScene.server))
        #expect(second.allocation != nil)
    }

    @Test("signs everything anew when the nonce or the realm changes, whatever is under way", arguments: [false, true])
    func changes(modern: Bool) throws {
        let scene = try TURNScene { $0.isModern = modern }
        _ = scene.allocate()
        scene.server.changeNonce()
        scene.caller.permit(TURNScene.peer4.ip)
        scene.caller.bindChannel(to: TURNScene.peer4)
        scene.caller.bindChannel(to: SocketAddress(TURNScene.peer4.ip, port: 4001))
        scene.run(.milliseconds(30))
        scene.server.changeNonce()
        scene.run(.seconds(1))
        #expect(scene.caller.take().count == 4)
        scene.server.temper.realm = "new.example"
        scene.caller.permit(.v4(0xC000_0208))
        scene.run(.seconds(1))
        #expect(scene.caller.take() == [.permitted(.v4(0xC000_0208))])
    }

    @Test("notices when the server has forgotten it", arguments: [TURNTransport.udp, .tcp])
    func forgotten(transport: TURNTransport) throws {
        let scene = try TURNScene(TURNSettings(transport: transport))
        _ = scene.allocate()
        scene.server.forgetEverything()
        _ = scene.echoes()
        #expect(scene.caller.events.suffix(2) == [.failed(.forgotten), .closed])
    }

    @Test("is renewed in place: another password for the same name")
    func renewedPassword() throws {
        let scene = try TURNScene()
        _ = scene.allocate()
        scene.server.temper.password = { _ in "new" }
        scene.caller.renew(TURNAccount(username: "user", password: "new"))
        scene.run(.seconds(1200))
        #expect(scene.caller.allocation != nil)
        #expect(scene.server.answerCounts[401] == 1)
    }

    @Test("is renewed in place: the server keeps an allocation to the name it was made in")
    func renewedName() throws {
        let scene = try TURNScene { $0.password = { ["user": "pass", "next": "word"][$0] } }
        _ = scene.allocate()
        scene.caller.renew(TURNAccount(username: "next", password: "word"))
        #expect(scene.echoes() || scene.echoes())
        scene.run(.seconds(1200))
        #expect(scene.caller.allocation != nil)
        #expect(scene.server.answerCounts[441, default: 0] == 1)
    }

    @Test("does not believe answers that the server did not sign", arguments: [TURNTransport.udp, .tcp])
    func forged(transport: TURNTransport) throws {
        let scene = try TURNScene(TURNSettings(transport: transport))
        scene.caller.spoil = { bytes in
            // The address in a success is another's.
            guard bytes[0] == 1, bytes[1] == 3 else { return bytes }
            var bytes = bytes
            bytes[30] ^= 1
            return bytes
        }
        #expect(scene.allocate() == nil)
        #expect(scene.caller.events == [.failed(transport.isStream ? .forged : .silent), .closed])
    }

    @Test("hears nothing from those it does not speak with, whoever says so")
    func strangers() throws {
        let scene = try TURNScene()
        _ = scene.allocate()
        var random = scene.network.makeRandom()
        var writer = STUNWriter(.indication, STUNMethod.data, TransactionID(using: &random))
        writer.append(.xorPeerAddress, TURNScene.peer4)
        writer.append(.data, [1, 2, 3].span)
        let forged = writer.finish().bytes
        let socket = try #require(scene.caller.place)
        func hear() -> Int {
            scene.caller.received(forged, from: TURNScene.server, on: socket)
            return scene.caller.takeLetters().count
        }
        #expect(hear() == 0)
        #expect(scene.echoes())
        #expect(hear() == 1)
    }

    @Test("loses nothing of a stream, wherever it is cut", arguments: 1...40)
    func cuts(size: Int) throws {
        let scene = try TURNScene(TURNSettings(transport: .tcp))
        scene.caller.pieces = size
        _ = scene.allocate()
        scene.caller.bindChannel(to: TURNScene.peer4)
        scene.run(.seconds(1))
        for _ in 0..<5 { #expect(scene.echoes()) }
    }

    @Test("ends when its stream ends or is no TURN at all")
    func streamEnds() throws {
        let scene = try TURNScene(TURNSettings(transport: .tcp))
        _ = scene.allocate()
        scene.caller.spoil = { _ in Array("SSH-2.0-OpenSSH_9.2".utf8).map { $0 | 0x80 } }
        scene.caller.permit(TURNScene.peer4.ip)
        scene.run(.seconds(1))
        #expect(scene.caller.take().suffix(2) == [.failed(.nonsense), .closed])
        scene.caller.overhear([0xFF, 0xFF, 0xFF, 0xFF])
        #expect(scene.caller.take().isEmpty)
        let unreachable = try TURNScene(TURNSettings(transport: .tls), server: SocketAddress(.v4(0xC633_6408), port: 1))
        #expect(unreachable.allocate() == nil)
        #expect(unreachable.caller.events == [.failed(.disconnected), .closed])
    }
}
