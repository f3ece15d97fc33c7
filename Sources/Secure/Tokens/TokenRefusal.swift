/// Why a token is not believed. Safe to log and to send: it repeats nothing of what the token said.
package enum TokenRefusal: Error, Hashable, Sendable {
    case tooLong
    /// Not three parts of Base64url with JSON objects in the first two.
    case malformed
    /// A header or a claim stands twice, and two readers might believe different ones.
    case duplicatedMember
    /// `none`, or anything else that no key of ours uses.
    case unknownAlgorithm
    /// `crit` demands something we do not know (RFC 7515 §4.1.11), or the token brings its own key.
    case unknownHeader
    case unknownKey
    /// The key exists, but signs with another algorithm.
    case wrongAlgorithm
    case badSignature
    /// A token made for something else.
    case wrongType
    case wrongAudience
    case wrongIssuer
    /// It was made for another sign-in.
    case wrongNonce
    /// Its issuer may not speak of this user.
    case foreignSubject
    /// No `sub`, `exp` or `iat`, or one that is no such thing.
    case missingClaim
    case expired
    case notYetValid
    case issuedInTheFuture
    /// It would be good for longer than such tokens may be.
    case livesTooLong
}
