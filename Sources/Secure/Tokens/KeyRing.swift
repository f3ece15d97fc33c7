/// The keys tokens may be signed with. A token names one of them and can bring none of its own.
package struct KeyRing: Sendable {
    private let keys: [String: SigningKey]

    /// Of two keys with one name the first counts.
    package init(_ keys: [SigningKey]) {
        self.keys = Dictionary(keys.map { ($0.id, $0) }) { first, _ in first }
    }

    package subscript(id: String) -> SigningKey? { self.keys[id] }
}
