import Bytes
import JSON
import Secure
import Web

@testable import ACME

/// An authority that answers what a machine asks, and can be told to answer something else.
struct Authority {
    let key: P256Key
    /// What it was asked, one line each.
    private(set) var asked: [String] = []
    /// What stands over the truth, by path: each is said once.
    var lies: [String: [ACMEAnswer]] = [:]
    private var lastNonce = 0
    private var isProven = false

    static let place = "https://ca.example"

    init() throws { self.key = try P256Key() }

    static func answer(_ status: UInt16, _ json: String, _ fields: HTTPFields = [:]) -> ACMEAnswer {
        ACMEAnswer(status, fields, Array(json.utf8))
    }

    static func problem(_ type: String, _ detail: String, status: UInt16 = 403, _ fields: HTTPFields = [:])
        -> ACMEAnswer
    {
        self.answer(status, #"{"type":"urn:ietf:params:acme:error:\#(type)","detail":"\#(detail)"}"#, fields)
    }

    mutating func answer(_ request: ACMERequest) throws -> ACMEAnswer {
        let path = String(request.url.dropFirst(Self.place.count))
        self.asked.append("\(request.method) \(path)")
        if request.method == .post { try self.check(request) }
        let found: ACMEAnswer
        if var lies = self.lies[path], !lies.isEmpty {
            found = lies.removeFirst()
            self.lies[path] = lies
        } else {
            found = self.truth(path)
        }
        self.lastNonce += 1
        var fields = found.fields
        if request.method != .get { fields.set("Replay-Nonce", to: "nonce-\(self.lastNonce)") }
        return ACMEAnswer(found.status, fields, found.body)
    }

    /// Signed for this address, by the key, with the last nonce.
    private func check(_ request: ACMERequest) throws {
        let found = try JSONObject(request.body.span)
        let (head, payload) = (found["protected", .text] ?? "", found["payload", .text] ?? "")
        let signature = try Base64.decode(found["signature", .text] ?? "", as: .url)
        let headBytes = try Base64.decode(head, as: .url)
        let protected = try JSONObject(headBytes.span)
        guard self.key.isValid(signature, of: Array("\(head).\(payload)".utf8)),
            protected["url", .text] == request.url, protected["alg", .text] == "ES256",
            protected["nonce", .text] == "nonce-\(self.lastNonce)",
            (protected.value("jwk") == nil) == (protected["kid", .text] == "https://ca.example/account/7")
        else { throw Forgery() }
    }

    struct Forgery: Error {}

    private mutating func truth(_ path: String) -> ACMEAnswer {
        switch path {
        case "/dir":
            return Self.answer(
                200,
                #"{"newNonce":"https://ca.example/nonce","newAccount":"https://ca.example/account","#
                    + #""newOrder":"https://ca.example/order","meta":{"termsOfService":"https://ca.example/terms"}}"#)
        case "/nonce": return Self.answer(200, "")
        case "/account": return Self.answer(201, "{}", [.location: "https://ca.example/account/7"])
        case "/order": return Self.answer(201, Self.order("pending"), [.location: "https://ca.example/order/1"])
        case "/proof/1":
            return Self.answer(200, Self.authorization("talk.example", self.isProven ? "valid" : "pending"))
        case "/challenge/1":
            self.isProven = true
            return Self.answer(200, "{}")
        case "/order/1": return Self.answer(200, Self.order("ready"))
        case "/finalize": return Self.answer(200, Self.order("valid"))
        default: return Self.answer(404, "nothing here")
        }
    }

    static func order(_ status: String) -> String {
        #"{"status":"\#(status)","authorizations":["https://ca.example/proof/1"],"finalize":"https://ca.example/finalize","#
            + #""certificate":"https://ca.example/certificate"}"#
    }

    static func authorization(_ name: String, _ status: String, error: String = "") -> String {
        #"{"identifier":{"type":"dns","value":"\#(name)"},"status":"\#(status)","challenges":["#
            + #"{"type":"http-01","url":"https://ca.example/challenge/0","token":"a","status":"pending"},"#
            + #"{"type":"tls-alpn-01","url":"https://ca.example/challenge/1","token":"to-ken_1","status":"\#(status)"\#(error)}]}"#
    }
}

/// What becomes of one order.
struct Outcome {
    var challenges: [ACMEOrderMachine.Challenge] = []
    var waits: [Duration] = []
    var error: ACMEError?
    var retryAfter: Duration?
    var certificate: IssuedCertificate?
}
