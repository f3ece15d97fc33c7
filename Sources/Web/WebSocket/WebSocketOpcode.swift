/// What a frame is (RFC 6455 §5.2).
package enum WebSocketOpcode: UInt8, Hashable, Sendable, CaseIterable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    package var isControl: Bool { self.rawValue >= 0x8 }
}

/// What a message is.
package enum WebSocketMessageKind: Hashable, Sendable, CaseIterable {
    case text
    case binary

    package var opcode: WebSocketOpcode {
        switch self {
        case .text: .text
        case .binary: .binary
        }
    }
}

/// Which end of a connection it is. Frames from a client are masked, frames from a server are not.
package enum WebSocketRole: Hashable, Sendable, CaseIterable {
    case server
    case client
}
