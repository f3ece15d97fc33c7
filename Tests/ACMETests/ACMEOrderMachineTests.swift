import Bytes
import Hashing
import Secure
import TestSupport
import Testing
import Vocabulary
import Web

@testable import ACME

private let now = WallTime(seconds: 1_700_000_000)

@Suite("An order for a certificate")
struct ACMEOrderMachineTests {
    private var authority: Authority
    private let settings: ACMESettings

    init() throws {
        self.authority = try Authority()
        var settings = ACMESettings(names: ["talk.example"])
        settings.directory = "\(Authority.place)/dir"
        self.settings = settings
    }

    /// To its end, however that is; time passes without being waited for.
    private mutating func run() throws -> Outcome {
        var machine = ACMEOrderMachine(self.settings, ACMEAccountKey(self.authority.key))
        var outcome = Outcome()
        var action = machine.begin()
        for _ in 0..<1000 {
            switch action {
            case .send(let request): action = machine.answered(try self.authority.answer(request), at: now)
            case .present(let challenge):
                outcome.challenges.append(challenge)
                action = machine.presented()
            case .wait(let time):
                outcome.waits.append(time)
                action = machine.waited()
            case .finished(let certificate):
                outcome.certificate = certificate
                return outcome
            case .failed(let error, let retryAfter):
                (outcome.error, outcome.retryAfter) = (error, retryAfter)
                return outcome
            }
        }
        Issue.record("the order has no end")
        return outcome
    }

    private mutating func words() throws -> String { try self.run().error?.description ?? "there is a certificate" }

    @Test(
        "P10.machine An order for a certificate goes from the directory to the chain, everything signed and with a fresh nonce"
    )
    mutating func way() throws {
        let outcome = try self.run()
        #expect(
            self.authority.asked == [
                "GET /dir", "HEAD /nonce", "POST /account", "POST /order", "POST /proof/1", "POST /challenge/1",
                "POST /proof/1", "POST /order/1", "POST /finalize", "POST /certificate",
            ])
        let jwk = self.authority.key.publicPoint.dropFirst()
        let (x, y) = (Base64.encode(jwk.prefix(32), as: .url), Base64.encode(jwk.suffix(32), as: .url))
        let thumbprint = Base64.encode(
            Digest.sha256.hash(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#), as: .url)
        #expect(
            outcome.challenges == [
                .init(name: "talk.example", digest: Digest.sha256.hash("to-ken_1.\(thumbprint)"))
            ])
    }

    @Test("A nonce that the authority does not take is replaced, and an authority that takes none is left")
    mutating func nonces() throws {
        let refusal = Authority.problem("badNonce", "it was used", status: 400)
        self.authority.lies = ["/order": [refusal, refusal], "/finalize": [refusal]]
        _ = try self.run()
        #expect(self.authority.asked.filter { $0 == "POST /order" }.count == 3)
        #expect(self.authority.asked.last == "POST /certificate")
        self.authority.lies = ["/account": .init(repeating: refusal, count: 100)]
        let words = try self.words()
        #expect(words == "the authority refused the account: it was used (badNonce)")
        #expect(self.authority.asked.filter { $0 == "POST /account" }.count < 20)
    }

    @Test("An authority that takes its time is asked again after what it says, longer and longer, and not for ever")
    mutating func patience() throws {
        let busy = Authority.answer(200, Authority.order("processing"), [.retryAfter: "7"])
        let failing = Authority.answer(503, "")
        self.authority.lies = ["/finalize": [busy], "/order/1": [busy, failing, busy]]
        #expect(try self.run().waits.contains(.seconds(7)))
        self.authority.lies = [
            "/proof/1": .init(
                repeating: Authority.answer(
                    200, Authority.authorization("talk.example", "processing")), count: 1)
        ]
        #expect(try self.words().contains("it has no known 'status'"))
        self.authority.lies = ["/order/1": .init(repeating: busy, count: 1000)]
        let outcome = try self.run()
        #expect(outcome.error == .notInTime(.orderStatus) && outcome.waits.count <= 61)
        #expect(outcome.waits.allSatisfy { $0 <= .seconds(60) })
    }

    @Test(
        "A refusal is told in the authority's words, with what there is to do",
        arguments: [
            ("/account", "invalidContact", "the account", "look at --acme-contact"),
            ("/order", "rateLimited", "the order", "it was asked too often"),
            ("/order", "rejectedIdentifier", "the order", "no certificates for this name"),
            ("/finalize", "caa", "the request for a certificate", "a CAA record of the domain has to allow"),
        ])
    mutating func refusals(path: String, type: String, step: String, advice: String) throws {
        self.authority.lies = [path: [Authority.problem(type, "so it is", [.retryAfter: "3600"])]]
        let outcome = try self.run()
        let words = outcome.error?.description ?? ""
        #expect(words.hasPrefix("the authority refused \(step): so it is (\(type)); ") && words.contains(advice))
        #expect(outcome.retryAfter == .seconds(3600))
    }

    @Test("A name that does not lead here is named, with what the authority saw")
    mutating func unproven() throws {
        let error = #","error":{"type":"urn:ietf:params:acme:error:connection","detail":"no route to 192.0.2.1"}"#
        self.authority.lies = [
            "/proof/1": [
                Authority.answer(200, Authority.authorization("talk.example", "pending")),
                Authority.answer(200, Authority.authorization("talk.example", "invalid", error: error)),
            ]
        ]
        let words = try self.words()
        #expect(
            words == "the authority did not find this server at talk.example: no route to 192.0.2.1 (connection); "
                + "port 443 of the name has to be open to the internet and to lead to this server")
    }

    @Test(
        "An authority that wants something else is left: another name, another proof, another account, another protocol"
    )
    mutating func lies() throws {
        let other = Authority.answer(200, Authority.authorization("bank.example", "pending"))
        let table: [(String, ACMEAnswer, String)] = [
            ("/proof/1", other, "it is about bank.example"),
            ("/proof/1", Authority.answer(200, Authority.authorization("talk.example", "revoked")), "(revoked)"),
            (
                "/proof/1", Authority.answer(200, #"{"identifier":{"value":"talk.example"},"status":"pending"}"#),
                "no tls-alpn-01"
            ),
            ("/dir", Authority.answer(200, "<html>"), "it is no JSON object"),
            (
                "/dir", Authority.answer(200, #"{"newNonce":"http://ca.example/n"}"#),
                "'newNonce' is no address with TLS"
            ),
            ("/dir", Authority.answer(404, ""), "it answered 404 without a reason"),
            ("/account", Authority.answer(201, "{}"), "it has no Location"),
            (
                "/order", Authority.answer(201, "{}", [.location: "https://ca.example/order/1"]),
                "it has no known 'status'"
            ),
            ("/order/1", Authority.answer(200, Authority.order("invalid")), "the authority refused the order"),
        ]
        for (path, answer, expected) in table {
            self.authority = try Authority()
            self.authority.lies = [path: [answer]]
            let words = try self.words()
            #expect(words.contains(expected), "\(path): \(words)")
        }
    }

    @Test("What an authority says stays one line without control characters, however much it is")
    mutating func steering() throws {
        let long = String(repeating: "a", count: 5000)
        self.authority.lies = ["/order": [Authority.problem("x\\u001b[2J", "\\u001b[31m\\n\(long)")]]
        let words = try self.words()
        #expect(words.utf8.count < 600 && !words.utf8.contains { $0 < 0x20 })
    }

    @Test("A certificate is used only when it is for our key, and nothing but certificates")
    mutating func certificates() throws {
        let stranger = try SelfSignedIdentity(names: ["talk.example"])
        let text = String(decoding: try stranger.pem, as: UTF8.self)
        let start = try #require(text.firstRange(of: "-----BEGIN CERTIFICATE-----"))
        for (chain, reason) in [
            (String(text[start.lowerBound...]), "checking a key"), (text, "it is no list of 1 to 10 certificates"),
            ("<html>", "it is no list of 1 to 10 certificates"), ("", "it is no list of 1 to 10 certificates"),
        ] {
            self.authority = try Authority()
            self.authority.lies = ["/certificate": [Authority.answer(200, chain)]]
            let words = try self.words()
            #expect(words.hasPrefix("the certificate that the authority sent is not used: ") && words.contains(reason))
        }
    }

    @Test("An authority that goes away ends the order where asking once more would change something, and only there")
    mutating func silence() throws {
        var machine = ACMEOrderMachine(self.settings, ACMEAccountKey(self.authority.key))
        _ = machine.begin()
        guard
            case .failed(.unreachable("https://ca.example/dir", "away"), _) = machine.unanswered(
                "https://ca.example/dir", "away")
        else { return #expect(Bool(false), "it goes on") }
        var action = machine.begin()
        while case .send(let request) = action, !request.url.hasSuffix("/proof/1") {
            action = machine.answered(try self.authority.answer(request), at: now)
        }
        guard case .wait = machine.unanswered("https://ca.example/proof/1", "away") else {
            return #expect(Bool(false), "it does not ask again")
        }
    }
}
