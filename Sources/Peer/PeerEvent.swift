package import ICE
package import Negotiating
package import Pathways

/// All of a connection in one word (`RTCPeerConnectionState`).
package enum ConnectionState: String, Hashable, Sendable, CaseIterable {
    case new, connecting, connected, disconnected, failed, closed

    /// What the path and the secrecy on it come to (webrtc-pc §4.3.3).
    init(_ ice: ICEState, _ security: SecurityState) {
        switch (ice, security) {
        case (.closed, _): self = .closed
        case (.failed, _), (_, .failed): self = .failed
        case (.disconnected, _): self = .disconnected
        case (.new, .new), (.new, .closed): self = .new
        case (.connected, .connected), (.completed, .connected): self = .connected
        // The other side has said goodbye; its path may still answer.
        case (_, .closed): self = .disconnected
        default: self = .connecting
        }
    }
}

/// What a call has to tell.
package enum PeerEvent: Hashable, Sendable {
    /// Sockets and relays are wanted now.
    case gatheringWanted
    /// For the other side, with the section it belongs to.
    case candidate(ICECandidate, mediaID: String?, index: Int)
    case candidatesEnded
    /// A STUN or TURN server is of no use (`icecandidateerror`); the call goes on without it.
    case candidateError(CandidateError)
    case signalingStateChanged(SignalingState)
    case negotiationNeeded
    case iceStateChanged(ICEState)
    case securityStateChanged(SecurityState)
    case stateChanged(ConnectionState)
    /// They may send from now on (`track`).
    case track(transceiver: Int)
    /// They have stopped sending, for good or until they say otherwise.
    case trackEnded(transceiver: Int)
    /// The first packet of theirs that could be opened.
    case heard(transceiver: Int)
    /// A key of their telephone, and how long it was pressed.
    case key(Character, Duration, transceiver: Int)
    /// Packets that are lent need not wait for a missing one any longer.
    case payloadsWaiting
    /// Packets of pictures wait to be taken.
    case picturesWaiting(transceiver: Int)
    /// They cannot show what is sent to them before a key frame comes.
    case keyFrameWanted(transceiver: Int)
    /// They have left.
    case goodbye
}
