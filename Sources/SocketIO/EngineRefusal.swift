import JSON

/// Why an Engine.IO request is turned away, in the numbers and words clients know.
package enum EngineRefusal: Int, Error, Hashable, Sendable, CaseIterable {
    case unknownTransport = 0
    case unknownSession = 1
    case badHandshakeMethod = 2
    case badRequest = 3
    case forbidden = 4
    case unsupportedVersion = 5

    package var status: Int { self == .forbidden ? 403 : 400 }

    /// All that an answer to a WebSocket upgrade says.
    package var message: String {
        switch self {
        case .unknownTransport: "Transport unknown"
        case .unknownSession: "Session ID unknown"
        case .badHandshakeMethod: "Bad handshake method"
        case .badRequest: "Bad request"
        case .forbidden: "Forbidden"
        case .unsupportedVersion: "Unsupported protocol version"
        }
    }

    /// The JSON body of the HTTP answer.
    package var body: [UInt8] {
        JSONWriter.object { json in
            json.field("code", self.rawValue)
            json.field("message", self.message)
        }
    }
}
