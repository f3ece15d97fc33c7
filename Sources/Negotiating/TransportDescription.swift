package import SDP

/// What our side says of the transport that all sections share.
package struct LocalTransport: Hashable, Sendable {
    package var usernameFragment: String
    package var password: String
    /// `AB:CD:…`, of SHA-256.
    package var fingerprint: String
    /// Each as `candidate:…`.
    package var candidates: [String]
    package var hasAllCandidates: Bool
    /// Our checks may carry the handshake of DTLS (SPED).
    package var embedsHandshake: Bool

    package init(
        usernameFragment: String, password: String, fingerprint: String, candidates: [String] = [],
        hasAllCandidates: Bool = false, embedsHandshake: Bool = false
    ) {
        self.usernameFragment = usernameFragment
        self.password = password
        self.fingerprint = fingerprint
        self.candidates = candidates
        self.hasAllCandidates = hasAllCandidates
        self.embedsHandshake = embedsHandshake
    }

    var iceOptions: String {
        (self.embedsHandshake ? ["trickle"] + ICEOption.sped : ["trickle"]).joined(separator: " ")
    }
}

/// What their side says of it.
package struct RemoteTransport: Hashable, Sendable {
    package let usernameFragment: String
    package let password: String
    package let isLite: Bool
    package let fingerprints: [SDPFingerprint]
    package let candidates: [String]
    package let hasAllCandidates: Bool
    package let setup: SDPSetup
    /// Their checks carry the handshake of DTLS (SPED).
    package let embedsHandshake: Bool

    /// From the section whose transport all share, with what is said at the head (RFC 8839 §5.4, RFC 8122 §5).
    init(_ section: SDPMedia, in description: SDPDescription) throws(NegotiationError) {
        guard let fragment = description.first(SDPUsernameFragment.self, for: section),
            let password = description.first(SDPPassword.self, for: section)
        else { throw NegotiationError(.invalidAccess, "the description has no ice-ufrag and ice-pwd") }
        let fingerprints = description.all(SDPFingerprint.self, for: section)
        guard !fingerprints.isEmpty else {
            throw NegotiationError(.invalidAccess, "the description has no fingerprint; only DTLS is spoken here")
        }
        self.usernameFragment = fragment.value
        self.password = password.value
        self.isLite = description.has(.iceLite)
        self.fingerprints = fingerprints
        self.candidates = section.candidates
        self.hasAllCandidates = section.has(.endOfCandidates)
        // An answer without the line means active, an offer without it passive (RFC 8842 §5.3 and RFC 4145 §4).
        self.setup = description.first(SDPSetup.self, for: section) ?? .either
        self.embedsHandshake = description.embedsHandshake(section)
    }
}

/// What both sides have agreed on, for the owner of the transport.
package struct TransportAgreement: Hashable, Sendable {
    package let remote: RemoteTransport
    /// This side begins with DTLS.
    package let isClient: Bool
}

enum ICEOption {
    /// The draft's name for it and Chromium's.
    static let sped = ["sped", "googspedv1"]
}

extension SDPDescription {
    /// Whether the checks for a section may carry the handshake of DTLS.
    package func embedsHandshake(_ section: SDPMedia) -> Bool {
        (section.iceOptions + self.iceOptions).contains { ICEOption.sped.contains(String($0)) }
    }
}
