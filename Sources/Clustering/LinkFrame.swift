internal import Bytes

/// What goes over the connection between two nodes: the length of what follows, a kind, a body, and a code that proves its sender and its
/// place. The first three frames prove the secret and carry no code.
///
///     00 00 00 2d  01  <body>              ← hello, answer, proof
///     00 00 0c 1a  10  <body> <code: 16>   ← all others
package enum LinkFrame {
    /// Numbers are never used for something else.
    package enum Kind: UInt8, Sendable {
        case hello = 1
        case answer = 2
        case proof = 3
        case message = 16
        case acknowledgement = 17
    }

    /// Length and kind.
    static let headBytes = 5
    /// Of a body with its code.
    package static let maximumBytes = 8 << 20
    /// Before the other side has proven anything.
    package static let maximumUnprovenBytes = 128

    static func head(_ kind: UInt8, _ count: Int) -> InlineArray<5, UInt8> {
        let count = UInt32(count + 1)
        return [
            UInt8(truncatingIfNeeded: count >> 24), UInt8(truncatingIfNeeded: count >> 16),
            UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count), kind,
        ]
    }

    static func plain(_ kind: Kind, _ body: [UInt8]) -> [UInt8] {
        let head = Self.head(kind.rawValue, body.count)
        return head.indices.map { head[$0] } + body
    }
}

/// Why a connection between nodes came to nothing.
package enum LinkError: Error, Hashable, Sendable {
    /// Not what nodes say to each other.
    case malformed
    case tooLong
    /// A later version.
    case unknownVersion
    /// It is meant for a node of another name.
    case otherNode
    /// The other side has another secret, or none.
    case wrongProof
    /// A frame that was changed, repeated, left out or put elsewhere.
    case forged
}

/// Finds frames in what comes over a connection, however it is cut.
package struct LinkFrameReader: Sendable {
    /// The half of a frame.
    private var held: [UInt8] = []
    /// Of what follows the head.
    package var limit = LinkFrame.maximumUnprovenBytes

    package init() {}

    /// Where the body of the next frame lies in `bytes`; nil when no more is whole. What is not whole is kept for the next call.
    ///
    /// - Parameter take: is told of each whole frame; what it throws ends the reading.
    package mutating func read(
        _ bytes: Span<UInt8>, _ take: (inout LinkFrameReader, UInt8, Span<UInt8>) throws(LinkError) -> Void
    ) throws(LinkError) {
        if self.held.isEmpty {
            let end = try self.walk(bytes, take)
            if end < bytes.count { self.held = Array(copying: bytes.extracting(end..<bytes.count)) }
        } else {
            self.held.append(copying: bytes)
            let whole = self.held
            self.held = []
            let end = try self.walk(whole.span, take)
            if end < whole.count { self.held = end == 0 ? whole : Array(whole[end...]) }
        }
    }

    /// How far the whole frames go.
    private mutating func walk(
        _ bytes: Span<UInt8>, _ take: (inout LinkFrameReader, UInt8, Span<UInt8>) throws(LinkError) -> Void
    ) throws(LinkError) -> Int {
        var offset = 0
        while bytes.count - offset >= 4 {
            let count = (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
            guard count > 0 else { throw .malformed }
            guard count - 1 <= self.limit else { throw .tooLong }
            let end = offset + 4 + count
            guard end <= bytes.count else { break }
            try take(&self, bytes[offset + 4], bytes.extracting((offset + 5)..<end))
            offset = end
        }
        return offset
    }
}
