internal import Bytes
internal import Hashing
internal import JSON
package import Vocabulary

/// One sign-in that is under way at a provider. The browser itself carries it, in a cookie that only we can write: so nothing
/// is kept for strangers, and only the browser that began a sign-in ends it.
package struct SignInTicket: Hashable, Sendable {
    /// Comes back with the provider's answer, which proves that it is one to our question (RFC 6749 §10.12).
    package let state: String
    /// Comes back in the ID token.
    package let nonce: String
    /// Proves that whoever brings the code asked for it (RFC 7636).
    package let verifier: String
    /// Where the provider sent the browser back to.
    package let redirectURL: String
    /// Where the user was, and is again.
    package let returnPath: String
    package let expiry: WallTime

    /// How long somebody may take to sign in there.
    package static let lifetime = Duration.seconds(600)
    private static let maximumBytes = 3500
    private static let maximumReturnBytes = 1024

    package init(redirectURL: String, returnPath: String, at now: WallTime) {
        self.state = Self.drawn()
        self.nonce = Self.drawn()
        self.verifier = Self.drawn()
        self.redirectURL = redirectURL
        self.returnPath = Self.isPath(returnPath) ? returnPath : "/"
        self.expiry = now + Self.lifetime
    }

    /// What the provider is told of the verifier (S256).
    package var challenge: String { Base64.encode(Digest.sha256.hash(self.verifier), as: .url) }

    private static func drawn() -> String {
        var random = SecureRandom()
        return Base64.encode(random.bytes(32), as: .url)
    }

    /// A path of this server: nothing that a browser takes for another host (`//host`, `/\host`).
    private static func isPath(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count <= self.maximumReturnBytes, bytes.first == UInt8(ascii: "/"),
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return false }
        return bytes.count == 1 || bytes[1] != UInt8(ascii: "/")
    }

    /// The way back, with a word that tells the page how it went. It stands before the fragment.
    package func returnPath(saying word: String) -> String {
        let end = self.returnPath.firstIndex(of: "#") ?? self.returnPath.endIndex
        let path = self.returnPath[..<end]
        return "\(path)\(path.contains("?") ? "&" : "?")\(word)\(self.returnPath[end...])"
    }
}

// MARK: - Sealing

extension SignInTicket {
    /// Letters that a cookie may have.
    package func sealed(with key: [UInt8]) -> String {
        let json = JSONWriter.bytes { json in
            json.fields(
                ("state", self.state), ("nonce", self.nonce), ("verifier", self.verifier),
                ("redirect", self.redirectURL), ("return", self.returnPath)
            ) { $0.field("expiry", self.expiry.milliseconds) }
        }
        let content = Base64.encode(json, as: .url)
        return "\(content).\(Base64.encode(HMAC.code(of: content, key: key), as: .url))"
    }

    /// Nil for what was not sealed with this key, and for a sign-in that took too long.
    package init?(opening text: String, with key: [UInt8], at now: WallTime) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumBytes, parts.count == 2,
            let code = try? Base64.decode(String(parts[1]), as: .url),
            ConstantTime.areEqual(HMAC.code(of: String(parts[0]), key: key), code),
            let json = try? Base64.decode(String(parts[0]), as: .url), let found = try? JSONObject(json.span),
            let state = found["state", .text], let nonce = found["nonce", .text],
            let verifier = found["verifier", .text], let redirect = found["redirect", .text],
            let path = found["return", .text], let expiry = found["expiry", .integer], now.milliseconds < Int64(expiry)
        else { return nil }
        (self.state, self.nonce, self.verifier) = (state, nonce, verifier)
        (self.redirectURL, self.returnPath) = (redirect, path)
        self.expiry = WallTime(milliseconds: Int64(expiry))
    }
}
