internal import JSON
internal import Vocabulary

/// Why an authority does not do what it was asked (RFC 8555 §6.7), in its own words and, where there is something to do, in ours.
package struct ACMEProblem: Hashable, Sendable, CustomStringConvertible {
    /// The part behind `urn:ietf:params:acme:error:`; another type stands there as a whole.
    package let type: String
    package let detail: String

    static let badNonce = "badNonce"
    private static let prefix = "urn:ietf:params:acme:error:"
    private static let maximumParts = 10
    private static let maximumTypeLength = 100

    init(type: String, detail: String) {
        let short = type.hasPrefix(Self.prefix) ? type.dropFirst(Self.prefix.count) : type[...]
        self.type = PlainText.of(String(short.prefix(Self.maximumTypeLength)))
        self.detail = PlainText.line(detail)
    }

    /// A body that is no problem document is told as what it is.
    init(_ answer: ACMEAnswer) {
        guard let found = try? JSONObject(answer.body.span, .init(depth: 16)), found["type", .text] != nil else {
            self.init(type: "\(answer.status)", detail: "it answered \(answer.status) without a reason")
            return
        }
        self.init(found)
    }

    init(_ found: borrowing JSONObject) {
        let parts = found["subproblems", JSONType.problem.list(maximum: Self.maximumParts)] ?? []
        let details = [found["detail", .text]].compactMap(\.self) + parts.map(\.detail)
        self.init(
            type: found["type", .text] ?? "unknown",
            detail: details.isEmpty ? "it gave no reason" : details.joined(separator: "; "))
    }

    package var description: String {
        "\(self.detail) (\(self.type))" + (self.advice.map { "; \($0)" } ?? "")
    }

    private var advice: String? {
        switch self.type {
        case "connection": "port 443 of the name has to be open to the internet and to lead to this server"
        case "dns": "the name needs an address in the DNS (an A or AAAA record)"
        case "tls", "unauthorized", "incorrectResponse":
            "port 443 of the name has to lead to this server, with no other program in between that does TLS"
        case "caa": "a CAA record of the domain has to allow this authority"
        case "rejectedIdentifier", "unsupportedIdentifier": "this authority gives no certificates for this name"
        case "invalidContact", "unsupportedContact": "look at --acme-contact"
        case "externalAccountRequired":
            "this authority wants an account that was made elsewhere, which is not supported"
        case "userActionRequired": "the operator has to do something at the authority first"
        case "rateLimited": "it was asked too often, and is asked again later"
        default: nil
        }
    }
}

extension JSONType<ACMEProblem> {
    static var problem: JSONType {
        JSONType { reader, value in
            value.kind == .object ? ACMEProblem(JSONObject(found: value, in: reader)) : nil
        }
    }
}
