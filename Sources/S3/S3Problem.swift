package import Web

/// Why a store did not do what it was asked, and what there is to do about it.
package struct S3Problem: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// There is no such thing in the bucket.
        case missing
        /// There is one already.
        case exists
        /// It may be done when it is asked again.
        case passing
        /// Whoever set this up has to do something.
        case setup
        /// It does not know what it was asked for.
        case unknownRequest
    }

    package let reason: Reason
    private let text: String

    package init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }

    package var description: String { self.text }

    /// Nil when all went well.
    package init?(_ status: HTTPStatus, _ body: [UInt8]) {
        // A store that takes long to put parts together says that all is well before it knows.
        let error = body.isEmpty ? nil : (try? XMLElement(parsing: body)).flatMap { $0.name == "Error" ? $0 : nil }
        guard error != nil || !(200..<300).contains(status.code) else { return nil }
        let code = Self.word(error?.text(of: "Code"))
        self = Self.known(code) ?? Self(Self.reason(status, code), "it answered \(status.code) \(code)")
    }

    /// What comes from elsewhere stands in a journal.
    private static func word(_ text: String?) -> String {
        String(
            (text ?? "").unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic }.prefix(64).map(
                Character.init))
    }

    private static func reason(_ status: HTTPStatus, _ code: String) -> Reason {
        switch status.code {
        case 404: .missing
        case 409 where code == "ConditionalRequestConflict": .passing
        case 412: .exists
        case 501: .unknownRequest
        case 400 where code == "RequestTimeout": .passing
        case 200..<300, 408, 429, 500...: .passing
        case 400: .unknownRequest
        default: .setup
        }
    }

    private static func known(_ code: String) -> S3Problem? {
        switch code {
        case "InvalidAccessKeyId", "InvalidClientTokenId":
            S3Problem(.setup, "it does not know the key's id: look at AWS_ACCESS_KEY_ID (\(code))")
        case "SignatureDoesNotMatch":
            S3Problem(
                .setup,
                """
                it knows another secret key: look at AWS_SECRET_ACCESS_KEY, whether AWS_ACCESS_KEY_ID belongs to it, and 'region=' \
                (\(code))
                """)
        case "AuthorizationHeaderMalformed", "IncorrectEndpoint", "PermanentRedirect":
            S3Problem(.setup, "the bucket is in another region: look at 'region=' and 'endpoint=' (\(code))")
        case "RequestTimeTooSkewed":
            S3Problem(.setup, "the clocks of this machine and of the store differ: set both by NTP (\(code))")
        case "NoSuchBucket":
            S3Problem(.setup, "there is no such bucket: make it, or look at the name behind 's3://' (\(code))")
        case "AccessDenied", "AllAccessDisabled":
            S3Problem(
                .setup,
                "the key may not do that: allow it to list the bucket, and to get, put and delete in it (\(code))")
        case "ExpiredToken", "InvalidToken":
            S3Problem(.setup, "the key was lent and is over: look at AWS_SESSION_TOKEN (\(code))")
        case "NoSuchKey", "NoSuchUpload": S3Problem(.missing, "there is none (\(code))")
        case "SlowDown", "ServiceUnavailable", "InternalError": S3Problem(.passing, "it has no time now (\(code))")
        default: nil
        }
    }
}
