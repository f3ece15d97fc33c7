/// What a peer did wrong on a WebSocket.
package struct WebSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    package let fault: WebSocketFault

    package init(_ fault: WebSocketFault) {
        self.fault = fault
    }

    /// The code to close with.
    package var closeCode: WebSocketCloseCode { self.fault.closeCode }

    /// A phrase that fits into a close frame and repeats nothing of what was sent.
    package var reason: String { self.fault.reason }

    package var description: String { "\(self.closeCode): \(self.reason)" }
}

/// Everything a connection is failed for (RFC 6455 §7.1.7).
package enum WebSocketFault: Hashable, Sendable, CaseIterable {
    case reservedBits
    case reservedOpcode
    case missingMask
    case unexpectedMask
    case lengthNotMinimal
    case lengthOutOfRange
    case controlTooLong
    case controlFragmented
    case unexpectedContinuation
    case missingContinuation
    case malformedClose
    case invalidCloseCode
    case invalidText
    case corruptCompression
    case frameTooBig
    case messageTooBig
    case tooManyFragments
    /// This message's share of what may be unfinished altogether.
    case tooMuchUnfinished
}

extension WebSocketFault {
    package var closeCode: WebSocketCloseCode {
        switch self {
        case .reservedBits, .reservedOpcode, .missingMask, .unexpectedMask: .protocolError
        case .lengthNotMinimal, .lengthOutOfRange, .controlTooLong, .controlFragmented: .protocolError
        case .unexpectedContinuation, .missingContinuation, .malformedClose, .invalidCloseCode: .protocolError
        case .invalidText, .corruptCompression: .invalidData
        case .frameTooBig, .messageTooBig: .messageTooBig
        case .tooManyFragments, .tooMuchUnfinished: .policyViolation
        }
    }

    package var reason: String {
        switch self {
        case .reservedBits: "reserved bits are set"
        case .reservedOpcode: "reserved opcode"
        case .missingMask: "a client's frame is not masked"
        case .unexpectedMask: "a server's frame is masked"
        case .lengthNotMinimal: "the length is not written in its shortest form"
        case .lengthOutOfRange: "the length is out of range"
        case .controlTooLong: "a control frame is longer than 125 bytes"
        case .controlFragmented: "a control frame is fragmented"
        case .unexpectedContinuation: "a continuation of nothing"
        case .missingContinuation: "a message begins inside another"
        case .malformedClose: "a close frame of one byte"
        case .invalidCloseCode: "invalid close code"
        case .invalidText: "the text is not UTF-8"
        case .corruptCompression: "the compressed data is corrupt"
        case .frameTooBig: "the frame is too big"
        case .messageTooBig: "the message is too big"
        case .tooManyFragments: "too many fragments"
        case .tooMuchUnfinished: "too many unfinished messages; send it again later"
        }
    }
}
