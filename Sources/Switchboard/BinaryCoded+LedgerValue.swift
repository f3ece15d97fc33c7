internal import BinaryCoding
internal import Clustering

extension BinaryCoded where Self: LedgerValue {
    /// Nil for what means nothing to this version.
    init?(_ value: any LedgerValue) {
        if let known = value as? Self {
            self = known
        } else if let known = try? Self(decoding: value.ledgerBytes.span) {
            self = known
        } else {
            return nil
        }
    }

    var ledgerBytes: [UInt8] { self.encoded }
}
