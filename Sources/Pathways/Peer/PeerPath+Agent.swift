package import ICE
internal import Vocabulary

// An agent alone, whose user has packets of its own.

extension PeerPath where Seeker == ICEAgent {
    package var snapshot: ICESnapshot { self.look { $0.snapshot } }

    package func remoteDescribed(_ credentials: ICECredentials, isLite: Bool = false) {
        self.act { $0.remoteDescribed(credentials, isLite: isLite, at: $1, into: &$2) }
    }

    package func candidateReceived(_ candidate: ICECandidate) {
        self.act { $0.candidateReceived(candidate, at: $1, into: &$2) }
    }

    package func remoteCandidatesEnded() { self.act { $0.remoteCandidatesEnded(at: $1, into: &$2) } }

    /// New credentials, while packets still go the old way.
    package func restart(_ credentials: ICECredentials) { self.act { $0.restart(credentials, at: $1, into: &$2) } }

    /// False when there is no path, or none that they still want to be sent to on.
    @discardableResult
    package func send(_ payload: Span<UInt8>) -> Bool {
        self.act { $0.send(payload, at: $1, into: &$2) }
    }
}
