/// How a gateway translates and what it lets in (RFC 4787).
package struct NATBehaviour: Hashable, Sendable, CustomStringConvertible {
    /// What of the other side's address makes a difference.
    package enum Dependence: Hashable, Sendable, CaseIterable {
        case endpointIndependent
        case addressDependent
        case addressAndPortDependent
    }

    package enum PortChoice: Hashable, Sendable, CaseIterable {
        /// The inner port where it is free, else a random one.
        case preserved
        case random
        /// One after the other.
        case sequential
    }

    package var mapping: Dependence
    package var filtering: Dependence
    package var ports: PortChoice
    /// Whether hosts inside reach each other by their outer addresses.
    package var hairpins: Bool
    /// How long a binding lives without a packet from inside.
    package var lifetime: Duration
    /// Whether packets from outside keep a binding alive as well.
    package var isRefreshedFromOutside: Bool
    package var passesUDP: Bool
    package var passesTCP: Bool
    /// IPv6 is not translated, only filtered; nil where there is none.
    package var filtering6: Dependence?

    package init(
        mapping: Dependence = .endpointIndependent, filtering: Dependence = .addressAndPortDependent,
        ports: PortChoice = .preserved, hairpins: Bool = false, lifetime: Duration = .seconds(120),
        isRefreshedFromOutside: Bool = false, passesUDP: Bool = true, passesTCP: Bool = true,
        filtering6: Dependence? = nil
    ) {
        self.mapping = mapping
        self.filtering = filtering
        self.ports = ports
        self.hairpins = hairpins
        self.lifetime = lifetime
        self.isRefreshedFromOutside = isRefreshedFromOutside
        self.passesUDP = passesUDP
        self.passesTCP = passesTCP
        self.filtering6 = filtering6
    }

    /// Three kinds of mapping with three kinds of filtering each.
    package static let kinds = Dependence.allCases.flatMap { mapping in
        Dependence.allCases.map { NATBehaviour(mapping: mapping, filtering: $0) }
    }

    package static let udpBlocked = NATBehaviour(passesUDP: false)

    package var description: String {
        guard self.passesUDP else { return "UDP blocked" }
        return "\(self.mapping.short) mapping, \(self.filtering.short) filtering"
    }
}

extension NATBehaviour.Dependence {
    package var short: String {
        switch self {
        case .endpointIndependent: "EI"
        case .addressDependent: "AD"
        case .addressAndPortDependent: "APD"
        }
    }
}
