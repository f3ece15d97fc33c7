internal import HTTPServer
internal import Identity
internal import Operations
internal import Switchboard
internal import Vocabulary
internal import Web

extension Accounts {
    /// Who asks, by the access token in the request.
    func identity(of exchange: HTTPExchange) throws(RequestError) -> Identity {
        guard let token = BearerToken.found(in: exchange.request.fields) else {
            throw RequestError(.unauthorized, "send Authorization: Bearer and an access token")
        }
        let identity = try self.identity(of: token)
        guard !identity.isForOneUse else { throw RequestError(.forbidden, "this token opens one connection only") }
        return identity
    }

    func isBanned(_ user: UserID) -> Bool {
        do throws(IdentityRefusal) {
            try self.checkMayEnter(user)
            return false
        } catch {
            return true
        }
    }

    /// Something may have been called back since it was asked who this is.
    func stillKnows(_ identity: Identity) throws(RequestError) {
        do throws(IdentityRefusal) {
            try self.check(identity)
        } catch {
            throw RequestError(error)
        }
    }
}
