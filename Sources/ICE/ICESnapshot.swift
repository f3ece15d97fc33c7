package import Vocabulary

/// An agent at one moment, under the names of W3C's statistics (webrtc-stats).
package struct ICESnapshot: Hashable, Sendable {
    /// `RTCTransportStats`, as far as ICE knows of it.
    package struct Transport: Hashable, Sendable {
        package let iceRole: ICERole
        package let iceState: ICEState
        package let iceLocalUsernameFragment: String
        package let selectedCandidatePairId: String?
        package let selectedCandidatePairChanges: Int
        package let packetsSent: Int
        package let packetsReceived: Int
        package let bytesSent: Int
        package let bytesReceived: Int
    }

    /// `RTCIceCandidateStats`.
    package struct Candidate: Hashable, Sendable {
        package let id: String
        package let address: IPAddress
        package let port: UInt16
        /// `udp` or `tcp`.
        package let `protocol`: String
        package let candidateType: ICECandidateKind
        package let priority: UInt32
        package let foundation: String
        package let relatedAddress: SocketAddress?
        package let usernameFragment: String?
    }

    /// `RTCIceCandidatePairStats`, the counters in `counters`.
    package struct Pair: Hashable, Sendable {
        /// `RTCStatsIceCandidatePairState`.
        package enum State: String, Hashable, Sendable {
            case waiting, inProgress = "in-progress", failed, succeeded
        }

        package let id: String
        package let localCandidateId: String
        package let remoteCandidateId: String
        package let state: State
        package let nominated: Bool
        package let counters: PairCounters
        /// When packets last came this way, if they ever did.
        package let lastReceived: Instant?
    }

    package let transport: Transport
    package let localCandidates: [Candidate]
    package let remoteCandidates: [Candidate]
    package let candidatePairs: [Pair]

    /// The pair in use.
    package var selectedPair: Pair? {
        self.candidatePairs.first { $0.id == self.transport.selectedCandidatePairId }
    }
}

extension ICEAgent {
    package var snapshot: ICESnapshot {
        let pairs = self.current.pairs.map(self.snapshot(of:))
        let sum = { (counter: KeyPath<PairCounters, Int>) in
            self.current.pairs.reduce(0) { $0 + $1.counters[keyPath: counter] }
        }
        let transport = ICESnapshot.Transport(
            iceRole: self.role, iceState: self.state,
            iceLocalUsernameFragment: self.credentials.usernameFragment,
            selectedCandidatePairId: self.current.selected.map(Self.pairID),
            selectedCandidatePairChanges: self.current.selectedChanges, packetsSent: sum(\.packetsSent),
            packetsReceived: sum(\.packetsReceived), bytesSent: sum(\.bytesSent), bytesReceived: sum(\.bytesReceived))
        return ICESnapshot(
            transport: transport, localCandidates: self.localCandidates, remoteCandidates: self.remoteCandidates,
            candidatePairs: pairs)
    }

    private static func pairID(_ pair: Int) -> String { "CP\(pair)" }
    private static func localID(_ path: PathID, _ address: SocketAddress) -> String { "L\(path.rawValue)-\(address)" }
    private static func remoteID(_ remote: RemoteCandidate) -> String {
        "R\(remote.transport.isTCP ? "t" : "u")-\(remote.address)"
    }

    private func snapshot(of pair: CandidatePair) -> ICESnapshot.Pair {
        let place = self.context.index(of: pair.path)
        let local = pair.mapped ?? place.map { self.context.paths[$0].path.address }
        return ICESnapshot.Pair(
            id: Self.pairID(pair.id), localCandidateId: local.map { Self.localID(pair.path, $0) } ?? "",
            remoteCandidateId: Self.remoteID(pair.remote), state: ICESnapshot.Pair.State(pair.state),
            nominated: pair.isNominated || pair.id == self.current.selected, counters: pair.counters,
            lastReceived: pair.lastReceived == Instant(nanoseconds: .min) ? nil : pair.lastReceived)
    }

    private var localCandidates: [ICESnapshot.Candidate] {
        self.context.paths.flatMap { local in
            local.candidates.compactMap { candidate in
                candidate.address.map { address in
                    ICESnapshot.Candidate(
                        id: Self.localID(local.path.id, address), address: address.ip, port: address.port,
                        protocol: candidate.transport.isTCP ? "tcp" : "udp", candidateType: candidate.kind,
                        priority: candidate.priority, foundation: candidate.foundation,
                        relatedAddress: candidate.related, usernameFragment: self.credentials.usernameFragment)
                }
            }
        }
    }

    private var remoteCandidates: [ICESnapshot.Candidate] {
        self.current.remotes.map { remote in
            ICESnapshot.Candidate(
                id: Self.remoteID(remote), address: remote.address.ip, port: remote.address.port,
                protocol: remote.transport.isTCP ? "tcp" : "udp", candidateType: remote.kind,
                priority: remote.priority, foundation: remote.foundation, relatedAddress: nil,
                usernameFragment: self.current.remote?.credentials.usernameFragment)
        }
    }
}

extension ICESnapshot.Pair.State {
    init(_ state: CandidatePair.State) {
        self =
            switch state {
            case .waiting: .waiting
            case .inProgress: .inProgress
            case .succeeded: .succeeded
            case .failed: .failed
            }
    }
}
