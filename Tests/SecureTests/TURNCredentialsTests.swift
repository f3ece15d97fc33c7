import Secure
import Testing
import Vocabulary

@Suite("TURN credentials")
struct TURNCredentialsTests {
    private let secret = Array("north".utf8)

    @Test("carry their end in the name and prove it with the password")
    func vector() throws {
        let user = try #require(UserID("alice"))
        let credentials = TURNCredentials(for: user, secret: self.secret, at: Sample.now)
        #expect(credentials.username == "1700000600:alice")
        #expect(credentials.credential == "gthUwOpcRoLI0MMCziCEBOWYnpo=")
        #expect(credentials.expiry == Sample.now + .seconds(600))
    }

    @Test("Q14.ours name the seat they are for behind their user, whose id cannot look so")
    func seat() throws {
        let user = try #require(UserID("alice"))
        let seat = RelaySeat(text: "c2VhdA")
        let credentials = TURNCredentials(for: user, in: seat, secret: self.secret, at: Sample.now)
        #expect(credentials.username == "1700000600:alice~c2VhdA")
        #expect(UserID("alice~c2VhdA") == nil)
    }

    @Test("live for ten minutes at most", arguments: [(1, 1), (600, 600), (601, 600), (86_400, 600), (-5, 0)])
    func life(asked: Int, given: Int) throws {
        let user = try #require(UserID("bob"))
        let credentials = TURNCredentials(for: user, secret: self.secret, life: .seconds(asked), at: Sample.now)
        #expect(credentials.expiry == Sample.now + .seconds(given))
    }
}
