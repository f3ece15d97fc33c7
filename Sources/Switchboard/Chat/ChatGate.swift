package import Operations
package import Keeping

/// What decides about messages before they are sent.
package protocol ChatGate: AnyObject {
    /// - Parameter verdict: nil for what may be said. Called once, on this loop; of one user's requests in their order.
    func judge(_ request: ChangeRequest, _ verdict: @escaping (RequestError?) -> Void)
}
