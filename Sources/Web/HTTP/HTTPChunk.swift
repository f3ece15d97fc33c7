/// What stands around the pieces of a chunked body (RFC 9112 §7.1).
package enum HTTPChunk {
    /// Appends the line before a piece. A piece of no bytes would end the body, so it is no piece.
    package static func writeHead(of count: Int, into out: inout [UInt8]) {
        precondition(count > 0, "an empty chunk ends the body")
        out.append(number: count, radix: 16)
        out.appendLineEnd()
    }

    /// Appends what ends a piece.
    package static func writeEnd(into out: inout [UInt8]) {
        out.appendLineEnd()
    }

    /// Appends what ends the body.
    package static func writeLast(trailers: HTTPFields? = nil, into out: inout [UInt8]) {
        out.append(UInt8(ascii: "0"))
        out.appendLineEnd()
        trailers?.write(into: &out)
        out.appendLineEnd()
    }
}
