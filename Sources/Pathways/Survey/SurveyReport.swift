package import ICE
package import ICEServers
package import STUN
package import Vocabulary

/// What was found out about some servers, and about the network in which we are.
package struct SurveyReport: Hashable, Sendable {
    /// One server at one address over one transport.
    package struct Row: Hashable, Sendable {
        package let url: ICEServerURL
        package let transport: TURNTransport
        /// Nil when the name does not resolve.
        package let address: SocketAddress?
        /// What opening the connection took; nil over UDP, where nothing is opened.
        package var connecting: Duration?
        package var binding = BindingProbe.Findings()
        package var relay: Relay?
        /// Why it could not be asked.
        package var failure: String?

        package enum Relay: Hashable, Sendable {
            case granted(TURNAllocation, after: Duration)
            case refused(TURNFailure)
        }

        package init(_ url: ICEServerURL, _ transport: TURNTransport, _ address: SocketAddress?) {
            self.url = url
            self.transport = transport
            self.address = address
        }

        /// It does what its URL promises.
        package var works: Bool {
            if self.url.scheme.needsCredentials {
                if case .granted = self.relay { true } else { false }
            } else {
                self.binding.isReachable
            }
        }
    }

    /// What is known about one family of addresses.
    package struct Network: Hashable, Sendable {
        package var local: IPAddress?
        package var mapped: SocketAddress?
        package var nat = NATFindings()
        package var lifetime: BindingLifetime?

        package init() {}
    }

    package var rows: [Row] = []
    package var networks: [STUNAddressFamily: Network] = [:]

    package init() {}
}

extension SurveyReport {
    /// What all of it settings for calls from here.
    package enum Verdict: String, Hashable, Sendable, CaseIterable {
        case open
        case direct
        case relayForSome = "relay-for-some"
        case relayOnly = "relay-only"
        case blocked
        case unknown

        package var words: String {
            switch self {
            case .open: "no NAT: calls connect directly with nearly every network"
            case .direct: "calls to maximumServers networks connect directly"
            case .relayForSome: "calls to networks with a NAT of the same kind will need TURN"
            case .relayOnly: "no answer over UDP: calls will need TURN over TCP or TLS, and have it"
            case .blocked: "no answer over UDP: calls will need TURN over TCP or TLS, and there is none that works"
            case .unknown: "no server answered: nothing is known about calls from here"
            }
        }
    }

    package var verdict: Verdict {
        let answering = self.rows.filter(\.binding.isReachable)
        guard answering.contains(where: { $0.transport == .udp || $0.transport == .dtls }) else {
            if self.rows.contains(where: { $0.hasStreamRelay }) { return .relayOnly }
            return answering.isEmpty ? .unknown : .blocked
        }
        let networks = self.networks.values.filter { $0.mapped != nil }
        // One way out that is good is enough.
        if networks.contains(where: { $0.nat.isTranslated == false }) { return .open }
        if networks.contains(where: { $0.nat.mapping == .endpointIndependent }) { return .direct }
        return networks.contains { $0.nat.mapping != nil } ? .relayForSome : .direct
    }

    /// How many of the URLs that were asked about work over at least one way.
    package var urls: (working: Int, all: Int) {
        let all = Set(self.rows.map(\.url))
        return (all.count { url in self.rows.contains { $0.url == url && $0.works } }, all.count)
    }

    /// The URLs that work, the fastest first.
    package var best: [ICEServerURL] {
        var fastest: [ICEServerURL: Duration] = [:]
        for row in self.rows where row.works {
            guard let pace = row.binding.median else { continue }
            fastest[row.url] = min(fastest[row.url] ?? pace, pace)
        }
        return fastest.sorted { ($0.value, $0.key.text) < ($1.value, $1.key.text) }.map(\.key)
    }
}

extension SurveyReport.Row {
    fileprivate var hasStreamRelay: Bool { self.transport.isStream && self.url.scheme.needsCredentials && self.works }
}
