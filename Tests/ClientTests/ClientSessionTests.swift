import Client
import TestSupport
import Testing
import Vocabulary
import Web

@Suite("A client's session")
struct ClientSessionTests {
    private let member = SessionID(ClientScene.member)

    @Test("dials, hears the opening, shows its token and is let in")
    func handshake() throws {
        let scene = ClientScene()
        #expect(scene.start() == [.dial])
        scene.open()
        #expect(scene.hear(ClientScene.opening) == [.send(text: #"40{"token":"the token","recover":true}"#)])
        let member = try #require(self.member)
        #expect(scene.hear(#"40{"sid":"\#(ClientScene.member)"}"#) == [.tell(.arrived(member, isRecovered: false))])
        #expect(scene.isOnline)
    }

    @Test("B04 is told that nobody let it in within 15 seconds, at every step of the way in", arguments: 0...2)
    func timesOut(step: Int) {
        let scene = ClientScene()
        _ = scene.start()
        if step > 0 { scene.open() }
        if step > 1 { _ = scene.hear(ClientScene.opening) }
        #expect(scene.wait(.milliseconds(14_999)) == [])
        let failure = LinkFailure.connectTimedOut(after: .seconds(15))
        #expect(scene.wait(.milliseconds(1)) == [.hangUp, .tell(.ended(failure))])
        #expect(!scene.hasDeadline)
    }

    @Test("insists from the start when it is told to")
    func insists() {
        let scene = ClientScene { $0.insistsFromTheStart = true }
        _ = scene.start()
        #expect(scene.lose() == [.tell(.away(.closedByServer(nil), retryIn: .seconds(1)))])
        #expect(scene.wait(.seconds(1)) == [.dial])
    }

    @Test("ends when it is turned away for good", arguments: ["unauthorized", "token_expired", "banned"])
    func turnedAway(code: String) {
        let scene = ClientScene { $0.insistsFromTheStart = true }
        _ = scene.start()
        scene.open()
        _ = scene.hear(ClientScene.opening)
        #expect(scene.hear(#"44{"message":"\#(code)"}"#) == [.hangUp, .tell(.ended(.refused(code: code)))])
    }

    @Test("tries again when it is turned away for now", arguments: ["unavailable", "rate_limited"])
    func turnedAwayForNow(code: String) {
        let scene = ClientScene { $0.insistsFromTheStart = true }
        _ = scene.start()
        scene.open()
        _ = scene.hear(ClientScene.opening)
        let away = ClientOutbox.News.away(.refused(code: code), retryIn: .seconds(1))
        #expect(scene.hear(#"44{"message":"\#(code)"}"#) == [.hangUp, .tell(away)])
    }

    @Test("says goodbye and ends")
    func stops() {
        let scene = ClientScene()
        _ = scene.start()
        scene.getIn()
        #expect(scene.stop() == [.send(text: "41"), .hangUp, .tell(.ended(.stopped))])
        #expect(scene.stop() == [] && scene.start() == [] && scene.lose() == [])
    }

    @Test("does not come back when the server ended the session")
    func dismissed() {
        let scene = ClientScene()
        _ = scene.start()
        scene.getIn()
        #expect(scene.hear("41") == [.hangUp, .tell(.ended(.dismissed))])
    }
}

@Suite("A client's heartbeat")
struct ClientHeartbeatTests {
    @Test("A client answers every ping of the server")
    func answers() {
        let scene = ClientScene()
        _ = scene.start()
        scene.getIn()
        #expect(scene.hear("2") == [.send(text: "3")])
    }

    @Test("takes silence for a lost connection after interval and timeout together")
    func silence() {
        let scene = ClientScene()
        _ = scene.start()
        scene.getIn()
        #expect(scene.wait(.milliseconds(44_999)) == [])
        let away = ClientOutbox.News.away(.silence, retryIn: .seconds(1))
        #expect(scene.wait(.milliseconds(1)) == [.hangUp, .tell(away)])
    }

    @Test("takes anything that is heard for a sign of life", arguments: ["2", "6", #"42["hello",{}]"#])
    func sign(frame: String) {
        let scene = ClientScene()
        _ = scene.start()
        scene.getIn()
        _ = scene.wait(.seconds(44))
        _ = scene.hear(frame)
        #expect(scene.wait(.seconds(44)) == [])
    }

    @Test("is patient even with a server that promises nonsense")
    func nonsense() {
        let scene = ClientScene()
        _ = scene.start()
        scene.open()
        let opening = ClientScene.opening.replacing("25000", with: "-9223372036854775808")
        #expect(
            scene.hear(opening.replacing("20000", with: "-1")) == [
                .send(text: #"40{"token":"the token","recover":true}"#)
            ])
        _ = scene.hear(#"40{"sid":"\#(ClientScene.member)"}"#)
        #expect(scene.wait(.milliseconds(999)) == [])
    }
}

@Suite("A client that lost its connection")
struct ClientReturnTests {
    @Test("B03.pause A client rests longer and longer, up to four seconds, and from the beginning once it was in")
    func backOff() {
        let scene = ClientScene()
        _ = scene.start()
        scene.getIn()
        for rest in [1, 2, 4, 4, 4] {
            #expect(scene.lose() == [.tell(.away(.closedByServer(nil), retryIn: .seconds(rest)))])
            #expect(scene.wait(.milliseconds(rest * 1000 - 1)) == [])
            #expect(scene.wait(.milliseconds(1)) == [.dial])
        }
        scene.getIn()
        #expect(scene.lose() == [.tell(.away(.closedByServer(nil), retryIn: .seconds(1)))])
    }

    @Test("B03.endless A client without a connection dials for as long as it takes")
    func endless() {
        let scene = ClientScene()
        _ = scene.start()
        scene.getIn()
        _ = scene.lose()
        let dials = scene.wait(.seconds(3600)).count { $0 == .dial }
        // Fifteen seconds of dialing and four of rest, for an hour.
        #expect((185...195).contains(dials))
    }

    @Test("stays away for as long as the server asks, and then a little differently from others")
    func putOff() {
        var rests: Set<Duration> = []
        let scene = ClientScene { $0.backOff.jitter = 0.5 }
        _ = scene.start()
        scene.getIn()
        for _ in 0..<20 {
            guard case .tell(.away(.putOff, let rest)) = scene.lose(.putOff(for: .seconds(7))).last else { continue }
            #expect(rest >= .milliseconds(7500) && rest <= .seconds(11))
            rests.insert(rest)
            #expect(scene.wait(rest) == [.dial])
        }
        #expect(rests.count > 15)
    }

    @Test("reads when to come again, and nothing else for it")
    func retryAfter() {
        func failure(_ status: HTTPStatus, _ value: String?) -> LinkFailure {
            var head = HTTPResponseHead(status)
            if let value { head.fields.set(.retryAfter, to: value) }
            return LinkFailure(.status(status), in: head)
        }
        #expect(failure(.serviceUnavailable, "3") == .putOff(for: .seconds(3)))
        #expect(failure(.tooManyRequests, "1") == .putOff(for: .seconds(1)))
        for value in [nil, "", "-1", "3601", "Fri, 31 Dec 1999 23:59:59 GMT", "1.5", "99999999999999999999"] {
            #expect(failure(.serviceUnavailable, value) == .noWebSocket(.status(.serviceUnavailable)))
        }
        #expect(failure(.forbidden, "3") == .noWebSocket(.status(.forbidden)))
    }

    @Test("rests differently from others")
    func jitter() {
        var rests: Set<Duration> = []
        let scene = ClientScene { $0.backOff.jitter = 0.5 }
        _ = scene.start()
        for _ in 0..<50 {
            scene.getIn()
            guard case .tell(.away(_, let rest)) = scene.lose().last else { continue }
            #expect(rest >= .milliseconds(500) && rest <= .seconds(1))
            rests.insert(rest)
            _ = scene.wait(rest)
        }
        #expect(rests.count > 40)
    }

    @Test("shows the key and the offset of the last event that had one")
    func recovers() throws {
        let scene = ClientScene()
        _ = scene.start()
        scene.getIn()
        _ = scene.hear(#"42["room.joined",{"room":"a"},"abc"]"#)
        _ = scene.hear(#"42["presence",{"user":"u"}]"#)
        _ = scene.lose()
        _ = scene.wait(.seconds(1))
        scene.open()
        let connect = #"40{"token":"the token","recover":true,"pid":"the key","offset":"abc"}"#
        #expect(scene.hear(ClientScene.opening) == [.send(text: connect)])
        let member = try #require(SessionID(ClientScene.member))
        let welcome = #"40{"sid":"\#(ClientScene.member)","pid":"the key"}"#
        #expect(scene.hear(welcome) == [.tell(.arrived(member, isRecovered: true))])
    }

    @Test("forgets the offset when the server began anew")
    func beginsAnew() {
        let scene = ClientScene()
        _ = scene.start()
        scene.getIn(key: "first")
        _ = scene.hear(#"42["room.joined",{},"abc"]"#)
        _ = scene.lose()
        _ = scene.wait(.seconds(1))
        scene.getIn(key: "second")
        _ = scene.lose()
        _ = scene.wait(.seconds(1))
        scene.open()
        #expect(
            scene.hear(ClientScene.opening) == [.send(text: #"40{"token":"the token","recover":true,"pid":"second"}"#)])
    }

    @Test("shows the newest token")
    func renews() {
        let scene = ClientScene()
        _ = scene.start()
        scene.getIn(key: nil)
        scene.renew(token: "a fresh one")
        _ = scene.lose()
        _ = scene.wait(.seconds(1))
        scene.open()
        #expect(scene.hear(ClientScene.opening) == [.send(text: #"40{"token":"a fresh one","recover":true}"#)])
    }
}
