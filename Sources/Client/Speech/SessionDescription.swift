internal import JSON

/// What `RTCPeerConnection` calls a description, as it travels in a signal.
package struct SessionDescription: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case offer, pranswer, answer, rollback
    }

    package let kind: Kind
    package let sdp: String

    package init(_ kind: Kind, sdp: String) {
        self.kind = kind
        self.sdp = sdp
    }

    package init?(_ json: RawJSON) {
        guard let kind = json.name("type", { Kind(rawValue: $0) }) else { return nil }
        self.kind = kind
        self.sdp = json.text("sdp") ?? ""
    }

    package var json: RawJSON { RawJSON { $0.members([("type", self.kind.rawValue), ("sdp", self.sdp)]) } }
}

/// What `RTCPeerConnection` calls a candidate. An empty text says that there are no more.
package struct CandidateDescription: Hashable, Sendable {
    package let candidate: String
    package let mid: String?
    package let lineIndex: Int?
    package let usernameFragment: String?

    package init(_ candidate: String, mid: String?, lineIndex: Int?, usernameFragment: String? = nil) {
        self.candidate = candidate
        self.mid = mid
        self.lineIndex = lineIndex
        self.usernameFragment = usernameFragment
    }

    package init?(_ json: RawJSON) {
        guard let candidate = json.text("candidate") else { return nil }
        self.candidate = candidate
        self.mid = json.text("sdpMid")
        self.lineIndex = json.integer("sdpMLineIndex")
        self.usernameFragment = json.text("usernameFragment")
    }

    package var json: RawJSON {
        RawJSON { json in
            json.members([("candidate", self.candidate), ("sdpMid", self.mid)])
            json.optional("sdpMLineIndex", self.lineIndex)
            json.optional("usernameFragment", self.usernameFragment)
        }
    }
}
