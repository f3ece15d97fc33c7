internal import JSON

/// What an authority offers, and where (RFC 8555 §7.1.1).
package struct ACMEDirectory: Hashable, Sendable {
    let newNonce: String
    let newAccount: String
    let newOrder: String
    package let termsOfService: String?
    let needsExternalAccount: Bool

    /// Of an answer that may be a refusal.
    package init(_ answer: ACMEAnswer) throws(ACMEError) {
        guard answer.isSuccess else { throw .refused(.directory, ACMEProblem(answer)) }
        do throws(ACMEMistake) {
            self = try Self(parsing: answer.body)
        } catch {
            throw .badAnswer(.directory, error.words)
        }
    }

    init(parsing bytes: [UInt8]) throws(ACMEMistake) {
        self = try JSONObject.reading(bytes) { found throws(ACMEMistake) in try Self(found) }
    }

    private init(_ found: borrowing JSONObject) throws(ACMEMistake) {
        self.newNonce = try found.url("newNonce")
        self.newAccount = try found.url("newAccount")
        self.newOrder = try found.url("newOrder")
        let more = found.object("meta")
        self.termsOfService = more["termsOfService", .text]
        self.needsExternalAccount = more["externalAccountRequired", .bool] ?? false
    }
}

/// An order (§7.1.3).
struct ACMEOrder: Hashable, Sendable {
    enum Status: String, Hashable, Sendable { case pending, ready, processing, valid, invalid }

    let status: Status
    let authorizations: [String]
    let finalize: String
    let certificate: String?
    let error: ACMEProblem?

    init(parsing bytes: [UInt8]) throws(ACMEMistake) {
        self = try JSONObject.reading(bytes) { found throws(ACMEMistake) in try Self(found) }
    }

    private init(_ found: borrowing JSONObject) throws(ACMEMistake) {
        guard let status = found["status", .text].flatMap(Status.init) else { throw .init("it has no known 'status'") }
        guard let list = found["authorizations", JSONType.url.list(maximum: ACMESettings.maximumNames)], !list.isEmpty
        else { throw .init("'authorizations' is no list of addresses") }
        self.status = status
        self.authorizations = list
        self.finalize = try found.url("finalize")
        self.certificate = found.value("certificate") == nil ? nil : try found.url("certificate")
        self.error = found["error", .problem]
    }
}

/// How far the proof of a name is (§7.1.4).
struct ACMEAuthorization: Hashable, Sendable {
    enum Status: String, Hashable, Sendable { case pending, valid, invalid, deactivated, expired, revoked }

    let name: String
    let status: Status
    private let challenges: [Challenge]

    struct Challenge: Hashable, Sendable {
        let type: String
        let url: String
        let token: String
        /// Whether the authority waits for us.
        let isPending: Bool
        let error: ACMEProblem?
    }

    private static let wanted = "tls-alpn-01"
    private static let maximumChallenges = 20

    init(parsing bytes: [UInt8]) throws(ACMEMistake) {
        self = try JSONObject.reading(bytes) { found throws(ACMEMistake) in try Self(found) }
    }

    private init(_ found: borrowing JSONObject) throws(ACMEMistake) {
        guard let status = found["status", .text].flatMap(Status.init) else { throw .init("it has no known 'status'") }
        guard let name = found.object("identifier")["value", .text] else { throw .init("'identifier' is missing") }
        self.name = name
        self.status = status
        self.challenges =
            found["challenges", JSONType<Challenge?>.challenge.list(maximum: Self.maximumChallenges)]?
            .compactMap(\.self) ?? []
    }

    var challenge: Challenge? { self.challenges.first { $0.type == Self.wanted } }

    /// What went wrong with it, in the authority's words.
    var problem: ACMEProblem {
        let found = self.challenge?.error ?? self.challenges.lazy.compactMap(\.error).first
        return found ?? ACMEProblem(type: self.status.rawValue, detail: "it gave no reason")
    }
}

/// What an answer lacks.
struct ACMEMistake: Error, Hashable, Sendable {
    let words: String

    init(_ words: String) { self.words = words }
}

extension JSONObject {
    fileprivate static func reading<Value>(
        _ bytes: [UInt8], _ make: (borrowing JSONObject) throws(ACMEMistake) -> Value
    ) throws(ACMEMistake) -> Value {
        guard let found = try? JSONObject(bytes.span, .init(depth: 16)) else { throw .init("it is no JSON object") }
        return try make(found)
    }

    fileprivate func url(_ name: String) throws(ACMEMistake) -> String {
        guard let url = self[name, .url] else { throw .init("'\(name)' is no address with TLS (https://)") }
        return url
    }
}

extension JSONType<String> {
    private static var maximumURLBytes: Int { 2000 }

    /// Nothing of this protocol goes without TLS (§6.1).
    fileprivate static var url: JSONType {
        JSONType.text.map { text in
            let isURL = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
            return isURL && text.hasPrefix("https://") && text.utf8.count <= Self.maximumURLBytes ? text : nil
        }
    }
}

extension JSONType<ACMEAuthorization.Challenge?> {
    private static var maximumTokenBytes: Int { 512 }

    /// Nil inside for one of a kind that has no token, or whose token is none.
    fileprivate static var challenge: JSONType {
        JSONType { reader, value in
            guard value.kind == .object else { return nil }
            let found = JSONObject(found: value, in: reader)
            guard let type = found["type", .text], let url = found["url", .url], let token = found["token", .text],
                (1...Self.maximumTokenBytes).contains(token.utf8.count), token.utf8.allSatisfy(Self.isTokenByte)
            else { return .some(nil) }
            return .init(
                type: type, url: url, token: token, isPending: found["status", .text] == "pending",
                error: found["error", .problem])
        }
    }

    /// The letters of Base64 for URLs (§8).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
