internal import JSON
internal import Operations
internal import SocketServer
internal import Switchboard
internal import Vocabulary

/// What FLSocketIM's apps are told, in their own events.
///
/// They take a `socketId` for the address of a peer; ours are the names of members.
final class FLDialect: Dialect {
    let keepsNames = true

    func event(for notice: Notice) -> SocketBroadcast? {
        switch notice {
        case .cameOnline(_, let face): SocketBroadcast("onLine") { $0.fields(("user", face.name.text)) }
        case .wentOffline(_, let name, _): SocketBroadcast("offLine") { $0.fields(("user", name.text)) }
        case .joined(_, let person, _): Self.peer("_new_peer", person.session)
        case .gone(_, let session, _, _): Self.peer("_remove_peer", session)
        case .dismissed: SocketBroadcast("cancelVideoChat") { $0.object { _ in } }
        case .signal(let signal): Self.signal(signal)
        // Their apps have no word for the rest: a line that wavers is none of their business until it breaks, and
        // their calls are rooms.
        case .away, .back, .recording, .host, .knocked, .admitted, .call, .iceServers, .sessionEnding, .sessionMoving,
            .profile:
            nil
        }
    }

    private static func peer(_ event: String, _ session: SessionID) -> SocketBroadcast {
        SocketBroadcast(event) { $0.fields(("socketId", session.text)) }
    }

    private static func signal(_ signal: RelayedSignal) -> SocketBroadcast? {
        switch signal.content {
        case .description:
            let event = FLDescription.isOffer(signal.json) ? "_offer" : "_answer"
            return SocketBroadcast(event, attachments: signal.attachments) { json in
                json.fields(("socketId", signal.from.text)) { $0.field("sdp", raw: signal.json) }
            }
        case .candidate: return FLCandidate(native: signal.json)?.event(from: signal.from)
        case .data: return nil
        }
    }
}

/// Of a session description the apps have to be told whether it asks or answers.
enum FLDescription {
    static func isOffer(_ json: [UInt8]) -> Bool {
        JSONObject(proven: json.span)["type", .text] == "offer"
    }
}

/// A candidate under the names that the apps use: `id` and `label` for `sdpMid` and `sdpMLineIndex`.
struct FLCandidate: Hashable {
    let mid: String
    let index: Int
    let line: String

    init(mid: String, index: Int, line: String) {
        self.mid = mid
        self.index = index
        self.line = line
    }

    init?(native json: [UInt8]) {
        let candidate = JSONObject(proven: json.span)
        guard let line = candidate["candidate", .text] else { return nil }
        self.init(mid: candidate["sdpMid", .text] ?? "", index: candidate["sdpMLineIndex", .integer] ?? 0, line: line)
    }

    /// In W3C's shape.
    var native: [UInt8] {
        JSONWriter.bytes { json in
            json.fields(("candidate", self.line), ("sdpMid", self.mid)) { $0.field("sdpMLineIndex", self.index) }
        }
    }

    func event(from session: SessionID) -> SocketBroadcast {
        SocketBroadcast("_ice_candidate") { json in
            json.fields(("socketId", session.text), ("id", self.mid), ("candidate", self.line)) { json in
                json.field("label", self.index)
            }
        }
    }
}
