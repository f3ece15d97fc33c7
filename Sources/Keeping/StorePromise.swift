/// What an acknowledged message outlives, as things are now, in words for whoever runs the server.
package struct StorePromise: Hashable, Sendable {
    package let text: String
    /// How an acknowledged message could be lost, or none be acknowledged.
    package let risks: [String]

    package init(_ text: String, risks: [String] = []) {
        self.text = text
        self.risks = risks
    }
}
