package import SDP

/// One stream of a kind each way, in one section of the descriptions (`RTCRtpTransceiver`).
package struct Transceiver: Hashable, Sendable {
    /// Its place among all that this side ever had; it stays.
    package let index: Int
    package let kind: MediaKind
    /// The section's name, once it has one.
    package internal(set) var mediaID: SDPMediaID?
    /// What this side would like.
    package internal(set) var direction: SDPDirection
    /// What both sides agreed on last.
    package internal(set) var currentDirection: SDPDirection?
    package internal(set) var isStopped = false
    /// Ours: who sends.
    package let ssrc: UInt32
    package let streamID: String
    package let trackID: String
    /// It was made for a track, so a section that the other side offers may be its own (RFC 9429 §5.10).
    let isForTrack: Bool
    /// It came with their offer, and goes with it when the offer is taken back.
    var isTheirs = false
    /// In what numbers they are to be sent to.
    package internal(set) var sending: MediaFormat?
    /// In what numbers they send.
    package internal(set) var receiving: MediaFormat?
    /// Who they say they are, where they say it.
    package internal(set) var remoteSources: [UInt32] = []
    package internal(set) var remoteStream: SDPStreamID?

    /// What flows now, as this side sees it.
    package var sends: Bool { !self.isStopped && self.currentDirection?.sends == true && self.sending != nil }
    package var receives: Bool { !self.isStopped && self.currentDirection?.receives == true }
}
