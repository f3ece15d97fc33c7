package import Web

/// What is to be sent to an authority.
package struct ACMERequest: Sendable {
    package let method: HTTPMethod
    package let url: String
    /// Signed; empty where nothing is said.
    package let body: [UInt8]

    package static let contentType = "application/jose+json"

    /// The first question, which is not signed.
    package static func directory(_ settings: ACMESettings) -> ACMERequest { ACMERequest(.get, settings.directory) }

    init(_ method: HTTPMethod, _ url: String, _ body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.body = body
    }
}

/// What came back.
package struct ACMEAnswer: Sendable {
    package let status: UInt16
    package let fields: HTTPFields
    package let body: [UInt8]

    package init(_ status: UInt16, _ fields: HTTPFields, _ body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    var isSuccess: Bool { (200...299).contains(self.status) }
    var nonce: String? { self.fields[Self.replayNonce] }

    private static let replayNonce: HTTPFieldName = "Replay-Nonce"
}
