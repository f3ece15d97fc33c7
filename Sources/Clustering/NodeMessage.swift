internal import BinaryCoding
package import Bytes

/// How far the order of all changes had come where something was said. Whoever hears it goes on to there first.
package struct LedgerPosition: Hashable, Sendable {
    /// Of the last entry that its sender had carried out.
    package let entry: UInt64
    /// Of the last change of the sender's own that was on its way; 0 where none was.
    package let serial: UInt64

    package init(entry: UInt64, serial: UInt64) {
        self.entry = entry
        self.serial = serial
    }

    /// What depends on nothing.
    package static let start = LedgerPosition(entry: 0, serial: 0)
}

/// Something that one node says to another one alone, with its number among all of these, whichever way each of them goes.
package struct NodeMessage: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        /// For the switchboard.
        case letter = 0
        /// What goes to all nodes, and to this one by the connection between the two.
        case news = 1
    }

    /// When the sender began to count, by a clock that goes on; a later one begins anew.
    package let series: UInt64
    /// From 1 on, without a gap.
    package let number: UInt64
    package let position: LedgerPosition
    package let kind: Kind
    package let body: [UInt8]

    package init(series: UInt64, number: UInt64, position: LedgerPosition, kind: Kind, body: [UInt8]) {
        self.series = series
        self.number = number
        self.position = position
        self.kind = kind
        self.body = body
    }
}

extension NodeMessage: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.series, self.number, self.position.entry, self.position.serial, self.kind.rawValue)
        bytes.write(self.body.span)
    }

    /// The body is all that is left.
    package init(from bytes: inout ByteReader) throws(ByteError) {
        let series: UInt64 = try bytes.take()
        let number: UInt64 = try bytes.take()
        let position = LedgerPosition(entry: try bytes.take(), serial: try bytes.take())
        guard let kind = Kind(rawValue: try bytes.take()), number > 0, number < .max else {
            throw ByteError(.malformed, at: 0)
        }
        self.init(
            series: series, number: number, position: position, kind: kind, body: try bytes.array(bytes.remaining))
    }
}
