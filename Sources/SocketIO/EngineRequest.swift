package import Vocabulary

/// What an HTTP request under `/socket.io/` is after.
package struct EngineRequest: Hashable, Sendable {
    package enum Purpose: Hashable, Sendable {
        /// To begin a session.
        case handshake(EngineVersion)
        /// To hear from a session: a waiting GET.
        case poll(SessionID)
        /// To tell a session something: a POST.
        case post(SessionID)
        /// To move a session on to this WebSocket.
        case upgrade(SessionID)
    }

    package let purpose: Purpose
    package let transport: EngineTransport
    /// The client cannot read binary bodies (`b64=1`).
    package let base64Only: Bool

    /// - Parameters:
    ///   - isUpgrade: whether the request asks for a WebSocket.
    ///   - legacyHints: names of parameters; a client that has one of them and does not name its version speaks version 3.
    ///   - parameter: looks names up in the query.
    package init(
        method: String, isUpgrade: Bool, legacyHints: [String] = [], parameter: (String) -> String?
    ) throws(EngineRefusal) {
        guard let transport = parameter("transport").flatMap(EngineTransport.init(rawValue:)) else {
            throw .unknownTransport
        }
        // Answers wrapped in a script (JSONP) are for browsers that no longer exist.
        guard parameter("j") == nil else { throw .badRequest }
        self.transport = transport
        self.base64Only = parameter("b64").map { !$0.isEmpty } ?? false
        if let sid = parameter("sid"), !sid.isEmpty {
            self.purpose = try Self.continuation(of: sid, method: method, isUpgrade: isUpgrade, transport: transport)
        } else {
            guard method == "GET" else { throw .badHandshakeMethod }
            guard isUpgrade == (transport == .webSocket) else { throw .badRequest }
            self.purpose = .handshake(try Self.version(parameter, legacyHints))
        }
    }

    private static func continuation(
        of text: String, method: String, isUpgrade: Bool, transport: EngineTransport
    ) throws(EngineRefusal) -> Purpose {
        guard let sid = SessionID(text) else { throw .unknownSession }
        switch (method, isUpgrade, transport) {
        case ("GET", true, .webSocket): return .upgrade(sid)
        case ("GET", false, .polling): return .poll(sid)
        case ("POST", false, .polling): return .post(sid)
        default: throw .badRequest
        }
    }

    private static func version(
        _ parameter: (String) -> String?, _ legacyHints: [String]
    ) throws(EngineRefusal) -> EngineVersion {
        switch parameter("EIO") {
        case "4": return .v4
        case "3": return .v3
        case nil where legacyHints.contains { parameter($0) != nil }: return .v3
        default: throw .unsupportedVersion
        }
    }
}
