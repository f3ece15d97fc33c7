import Web

/// Whatever comes, the parser of frames neither traps nor changes its mind with the cuts, keeps to its limits,
/// and lets no text through that is none.
enum WebSocketFuzz {
    private struct Said: Equatable {
        var events: [WebSocketEvent] = []
        var error: WebSocketError?
    }

    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let whole = self.said(input, pieces: input.pieces(of: 0))
        let cut = self.said(input, pieces: input.pieces(of: Int(input.control & 31) + 1))
        demand(whole == cut, "the cuts made a difference: \(whole) or \(cut)")
    }

    private static func said(_ input: FuzzInput, pieces: [[UInt8]]) -> Said {
        var limits = WebSocketLimits()
        limits.maximumMessageBytes = 1000
        limits.maximumFrameBytes = 600
        limits.maximumFragments = 5
        var parser = WebSocketParser(role: input.control & 64 == 0 ? .server : .client, limits: limits)
        let inflater = input.control & 32 == 0 ? nil : WebSocketInflater()
        var said = Said()
        for var piece in pieces {
            var offset = 0
            do {
                while let event = try self.next(&parser, &piece, &offset, inflater) {
                    said.events.append(self.kept(event, piece))
                }
                demand(offset == piece.count, "bytes were left")
            } catch {
                said.error = error
                return said
            }
        }
        return said
    }

    private static func next(
        _ parser: inout WebSocketParser, _ piece: inout [UInt8], _ offset: inout Int, _ inflater: WebSocketInflater?
    ) throws(WebSocketError) -> WebSocketEvent? {
        var span = piece.mutableSpan
        return try parser.next(in: &span, from: &offset, inflater: inflater)
    }

    private static func kept(_ event: WebSocketEvent, _ piece: [UInt8]) -> WebSocketEvent {
        let kept: WebSocketEvent
        if case .message(let kind, let range) = event {
            kept = .assembled(kind, Array(piece[range]))
        } else {
            kept = event
        }
        if case .assembled(let kind, let bytes) = kept {
            demand(bytes.count <= 1000, "a message beyond the limit")
            demand(kind == .binary || String(validating: bytes, as: UTF8.self) != nil, "a text that is none")
        }
        return kept
    }
}
