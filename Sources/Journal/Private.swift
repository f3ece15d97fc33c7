/// Something personal. It does not print, dump or interpolate; who needs it asks for `exposed`.
package struct Private<Value> {
    package let exposed: Value

    package init(_ value: Value) {
        self.exposed = value
    }
}

extension Private: Sendable where Value: Sendable {}
extension Private: Equatable where Value: Equatable {}
extension Private: Hashable where Value: Hashable {}

extension Private: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<private>" }
    package var debugDescription: String { "<private>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Private where Value == String {
    /// Stands for the value in a log: equal values look equal for as long as the process lives, and nobody
    /// can compute them from a guess, because the hash has a secret seed of its own in each process.
    var standIn: String {
        var hasher = Hasher()
        hasher.combine(self.exposed)
        let hash = UInt32(truncatingIfNeeded: hasher.finalize())
        let digits = String(hash, radix: 16)
        return "private:" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
