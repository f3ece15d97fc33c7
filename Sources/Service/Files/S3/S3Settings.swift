package import S3

/// Which S3 store the files lie in.
package struct S3Settings: Hashable, Sendable {
    package let address: S3Address
    package let keys: S3Keys
    /// Whether downloads pass this server, as for a store that clients cannot reach.
    package var passesThrough: Bool

    package init(_ address: S3Address, _ keys: S3Keys, passesThrough: Bool = false) {
        self.address = address
        self.keys = keys
        self.passesThrough = passesThrough
    }

    /// Where browsers are sent for files; nil when nobody is.
    var origin: String? { self.passesThrough ? nil : self.address.server }
}
