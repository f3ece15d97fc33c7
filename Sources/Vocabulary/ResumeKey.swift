/// What a client shows to take up where it left off (`pid` on the wire): 40 characters, and a secret.
///
/// The first half is the session's name, by which every node knows where it is kept; the second half proves the right to it and is
/// compared in constant time.
package struct ResumeKey: Hashable, Sendable {
    private let handle: RandomToken
    private let secret: RandomToken

    package init(of session: SessionID, using random: inout some RandomNumberGenerator) {
        self.handle = session.token
        self.secret = RandomToken(using: &random)
    }

    package init?(_ text: String) {
        let letters = text.utf8.span
        guard letters.count == RandomToken.length * 2,
            let handle = RandomToken(letters.extracting(first: RandomToken.length)),
            let secret = RandomToken(letters.extracting(last: RandomToken.length))
        else { return nil }
        self.handle = handle
        self.secret = secret
    }

    package var session: SessionID { SessionID(self.handle) }

    package var text: String { self.handle.text + self.secret.text }

    package static func == (left: ResumeKey, right: ResumeKey) -> Bool {
        left.handle == right.handle && left.secret.isEqualInConstantTime(to: right.secret)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.handle)
    }
}
