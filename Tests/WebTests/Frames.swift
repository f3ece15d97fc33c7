import Web

/// Builds and reads frames for tests.
enum Frames {
    /// One frame, masked as a client does it unless said otherwise.
    static func frame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], isFinal: Bool = true, isCompressed: Bool = false,
        mask: UInt32? = 0x1234_5678
    ) -> [UInt8] {
        var out: [UInt8] = []
        WebSocketFrameHeader(
            opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed, mask: mask
        ).append(to: &out)
        var payload = payload
        if let mask {
            var state = WebSocketMask(mask)
            var span = payload.mutableSpan
            state.apply(to: &span, in: 0..<span.count)
        }
        return out + payload
    }

    static func frame(_ opcode: WebSocketOpcode, _ text: String, isFinal: Bool = true) -> [UInt8] {
        self.frame(opcode, Array(text.utf8), isFinal: isFinal)
    }

    static func hex(_ text: String) -> [UInt8] {
        text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }
}

/// Everything a parser says about some bytes, with messages as values: comparable however the bytes were cut.
struct FrameTranscript: Equatable, CustomStringConvertible {
    var events: [WebSocketEvent] = []
    var inPlace = 0
    var error: WebSocketError?
    /// Bytes fed before the error was noticed.
    var consumed = 0

    var description: String { "\(self.events) \(self.error.map { "\($0)" } ?? "fine") after \(self.consumed)" }

    init(
        of bytes: [UInt8], cutInto sizes: [Int] = [], role: WebSocketRole = .server,
        limits: WebSocketLimits = WebSocketLimits(), compresses: Bool = false
    ) {
        var parser = WebSocketParser(role: role, limits: limits)
        let inflater = compresses ? WebSocketInflater() : nil
        for piece in RequestTranscript.pieces(of: bytes, sizes) {
            var piece = piece
            var offset = 0
            while self.error == nil, let event = self.next(&parser, &piece, &offset, inflater) {
                self.take(event, piece)
            }
            self.consumed += offset
            guard self.error == nil, offset == piece.count else { return }
        }
    }

    private mutating func next(
        _ parser: inout WebSocketParser, _ piece: inout [UInt8], _ offset: inout Int, _ inflater: WebSocketInflater?
    ) -> WebSocketEvent? {
        var span = piece.mutableSpan
        do {
            return try parser.next(in: &span, from: &offset, inflater: inflater)
        } catch {
            self.error = error
            return nil
        }
    }

    private mutating func take(_ event: WebSocketEvent, _ piece: [UInt8]) {
        if case .message(let kind, let range) = event {
            self.inPlace += 1
            self.events.append(.assembled(kind, Array(piece[range])))
        } else {
            self.events.append(event)
        }
    }

    /// The same messages and the same end; where they lay does not matter.
    static func == (one: FrameTranscript, other: FrameTranscript) -> Bool {
        one.events == other.events && one.error == other.error
    }
}
