/// Why a WebSocket ends (RFC 6455 §7.4 and the IANA registry).
package struct WebSocketCloseCode: Hashable, Sendable, CustomStringConvertible {
    package let number: UInt16

    /// Nil for a code that may not be sent: 1004 to 1006 and 1015 only exist inside programs.
    package init?(_ number: UInt16) {
        switch number {
        case 1000...1003, 1007...1014, 3000...4999: self.number = number
        default: return nil
        }
    }

    private init(known number: UInt16) {
        self.number = number
    }

    package static let normal = WebSocketCloseCode(known: 1000)
    package static let goingAway = WebSocketCloseCode(known: 1001)
    package static let protocolError = WebSocketCloseCode(known: 1002)
    package static let unsupportedData = WebSocketCloseCode(known: 1003)
    package static let invalidData = WebSocketCloseCode(known: 1007)
    package static let policyViolation = WebSocketCloseCode(known: 1008)
    package static let messageTooBig = WebSocketCloseCode(known: 1009)
    package static let missingExtension = WebSocketCloseCode(known: 1010)
    package static let internalError = WebSocketCloseCode(known: 1011)
    package static let serviceRestart = WebSocketCloseCode(known: 1012)
    package static let tryAgainLater = WebSocketCloseCode(known: 1013)
    package static let badGateway = WebSocketCloseCode(known: 1014)

    package var description: String { String(self.number) }
}
