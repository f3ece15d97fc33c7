internal import Identity
internal import Operations
internal import Secure
internal import Switchboard

extension RequestError {
    init(_ refusal: IdentityRefusal) {
        switch refusal {
        case .banned: self.init(.banned, "you are banned")
        case .revoked: self.init(.kicked, "the token was revoked; sign in again")
        case .deleted: self.init(.kicked, "this account was deleted")
        case .tooManyAttempts(let wait): self.init(.rateLimited, "too many attempts", retryAfter: wait)
        case .unavailable: self.init(.unavailable, "try again later")
        case .token(.expired): self.init(.tokenExpired, "the token has expired")
        default: self.init(.unauthorized, "the token is not valid here")
        }
    }
}

extension Accounts {
    func identity(of token: String) throws(RequestError) -> Identity {
        do throws(IdentityRefusal) {
            return try self.identity(ofToken: token)
        } catch {
            throw RequestError(error)
        }
    }
}
