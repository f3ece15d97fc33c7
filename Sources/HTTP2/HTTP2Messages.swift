package import Web

/// A request as HTTP/2 sends it, whole.
package struct HTTP2Request: Sendable {
    package let method: HTTPMethod
    package let scheme: String
    package let authority: String
    package let path: String
    package let fields: HTTPFields
    package let body: [UInt8]

    package init(
        _ method: HTTPMethod, scheme: String = "https", authority: String, path: String,
        fields: HTTPFields = HTTPFields(), body: [UInt8] = []
    ) {
        self.method = method
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.fields = fields
        self.body = body
    }
}

/// An answer, whole.
package struct HTTP2Answer: Equatable, Sendable {
    package let status: HTTPStatus
    package let fields: HTTPFields
    package let body: [UInt8]
}
