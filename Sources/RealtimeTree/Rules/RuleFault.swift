/// Why rules are none, and where.
package struct RuleFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The keys to the rule, as `rooms/$room/.write`; empty for the file.
    package var place: String
    package let reason: String

    package init(_ reason: String, at place: String = "") {
        self.reason = reason
        self.place = place
    }

    package var description: String { self.place.isEmpty ? self.reason : "\(self.place): \(self.reason)" }
}
