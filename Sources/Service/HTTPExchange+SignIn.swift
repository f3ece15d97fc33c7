internal import HTTPServer
internal import Identity
internal import Reactor
internal import Vocabulary

extension HTTPExchange {
    /// What every way to sign in over HTTP has in common: a client is known by its address, the decision takes
    /// its time somewhere else, and what came of it is told on the exchange's loop.
    func signIn<Value: Sendable>(
        _ decide: @escaping @Sendable (IPAddress) async throws(IdentityRefusal) -> Value,
        then answer: @escaping (Result<Value, IdentityRefusal>) -> Void
    ) {
        let address = self.client
        self.reactor.perform(
            { () -> Result<Value, IdentityRefusal> in
                do throws(IdentityRefusal) {
                    return .success(try await decide(address))
                } catch {
                    return .failure(error)
                }
            }, completion: answer)
    }
}
