/// What one node says to others. Between loops of one process goes the value itself, between processes go its bytes.
package protocol LedgerValue: Sendable {
    /// The same for a node in another process.
    var ledgerBytes: [UInt8] { get }
}

/// What came from another process.
extension [UInt8]: LedgerValue {
    package var ledgerBytes: [UInt8] { self }
}
