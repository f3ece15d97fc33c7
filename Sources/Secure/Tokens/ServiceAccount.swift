internal import Bytes
internal import JSON
package import Vocabulary

/// What a program acts by in a project of Google's: the JSON file that the project's console gives out, read as far as it is
/// needed for an access token (RFC 7523).
package struct ServiceAccount: Sendable {
    package let projectID: String
    /// Where an assertion becomes an access token.
    package let tokenURL: String
    package let email: String
    private let keyID: String
    private let key: RSAKey

    package static let maximumBytes = 64 << 10
    private static let assertionLife = 3600

    package init(parsing json: [UInt8]) throws(SecureError) {
        guard json.count <= Self.maximumBytes, let form = try? JSONObject(json.span) else {
            throw SecureError("reading a service account", reason: "it is no JSON object of at most 64 KiB")
        }
        guard form["type", .text] == "service_account" else {
            throw SecureError("reading a service account", reason: "its 'type' is not \"service_account\"")
        }
        self.projectID = try Self.member("project_id", form["project_id", .text])
        self.tokenURL = try Self.member("token_uri", form["token_uri", .text])
        self.email = try Self.member("client_email", form["client_email", .text])
        self.keyID = try Self.member("private_key_id", form["private_key_id", .text])
        self.key = try RSAKey(pem: Array(try Self.member("private_key", form["private_key", .text]).utf8))
        // It becomes part of a path.
        guard self.projectID.utf8.allSatisfy(Self.isProjectByte) else {
            throw SecureError("reading a service account", reason: "its 'project_id' is none")
        }
    }

    private static func member(_ name: String, _ text: String?) throws(SecureError) -> String {
        guard let text, !text.isEmpty else {
            throw SecureError("reading a service account", reason: "it has no '\(name)'")
        }
        return text
    }

    private static func isProjectByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"): true
        default: false
        }
    }

    /// A token of our own, good for an hour, for which the project's provider gives an access token.
    package func assertion(scope: String, at now: WallTime) throws(SecureError) -> String {
        let header = JSONWriter.bytes { $0.fields(("alg", "RS256"), ("kid", self.keyID), ("typ", "JWT")) }
        let claims = JSONWriter.object { json in
            json.field("iss", self.email)
            json.field("scope", scope)
            json.field("aud", self.tokenURL)
            json.field("iat", Int(now.seconds))
            json.field("exp", Int(now.seconds) + Self.assertionLife)
        }
        let signed = "\(Base64.encode(header, as: .url)).\(Base64.encode(claims, as: .url))"
        return "\(signed).\(Base64.encode(try self.key.signature(of: Array(signed.utf8)), as: .url))"
    }
}

// MARK: - Believing what it signed

extension ServiceAccount {
    /// What a token says that the account has signed; nil for any other. Who believes it asks for whom it is, and until when.
    package func claims(ofToken text: String) -> [UInt8]? {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumTokenBytes, parts.count == 3,
            let header = try? Base64.decode(Array(parts[0]), as: .url), let form = try? JSONObject(header.span),
            form["alg", .text] == "RS256", let signature = try? Base64.decode(Array(parts[2]), as: .url),
            self.key.isValid(signature, of: Array(parts[0]) + [UInt8(ascii: ".")] + parts[1])
        else { return nil }
        return try? Base64.decode(Array(parts[1]), as: .url)
    }

    private static let maximumTokenBytes = 16 << 10
}
