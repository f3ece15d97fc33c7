/// What of the other side's address makes a difference to a NAT (RFC 4787 §4.1, §5).
package enum NATDependence: String, Hashable, Sendable, CaseIterable {
    case endpointIndependent = "endpoint-independent"
    case addressDependent = "address-dependent"
    case addressAndPortDependent = "address-and-port-dependent"
}

/// What stands between us and the open internet, as far as it could be found out.
package struct NATFindings: Hashable, Sendable {
    /// Whether our address is another outside; nil when we do not know our own.
    package var isTranslated: Bool?
    /// Whether another peer sees us at another address.
    package var mapping: NATDependence?
    /// Whom it lets in.
    package var filtering: NATDependence?
    /// Whether two behind it reach each other by their outer addresses.
    package var hairpins: Bool?

    package init() {}
}

/// How long a NAT keeps an idle mapping.
package struct BindingLifetime: Hashable, Sendable {
    /// After so long it still knew.
    package var known: Duration
    /// After so long it did not any more; nil when it never forgot while we watched.
    package var forgotten: Duration?

    package init(known: Duration = .zero, forgotten: Duration? = nil) {
        self.known = known
        self.forgotten = forgotten
    }
}
