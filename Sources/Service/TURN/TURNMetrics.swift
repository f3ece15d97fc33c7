internal import Journal
internal import TURN

/// What the TURN server does, for Prometheus: without names, of users or of peers.
final class TURNMetrics {
    private let allocations: Gauge
    private let connections: Gauge
    private let made: Counter
    private let refused: Counter
    private let packets: MetricFamily<Direction, Counter>
    private let bytes: MetricFamily<Direction, Counter>
    private let dropped: Counter
    private var told = TURNCounts()

    enum Direction: String, MetricLabel {
        static let labelName: StaticString = "direction"
        case toPeer = "to_peer"
        case toClient = "to_client"
    }

    init(in registry: MetricsRegistry) {
        self.allocations = registry.gauge("parley_turn_allocations", "TURN allocations that are open.")
        self.connections = registry.gauge(
            "parley_turn_peer_connections", "Connections between TURN clients and peers by TCP that are open.")
        self.made = registry.counter("parley_turn_allocations_total", "TURN allocations that were made.")
        self.refused = registry.counter("parley_turn_refused_total", "TURN requests that were answered with an error.")
        self.packets = registry.counters("parley_turn_packets_total", "Packets relayed.", by: Direction.self)
        self.bytes = registry.counters("parley_turn_bytes_total", "Bytes relayed.", by: Direction.self)
        self.dropped = registry.counter(
            "parley_turn_dropped_total", "Packets not relayed: no permission, or more than a user may send.")
    }

    func add(_ counts: TURNCounts) {
        self.allocations.set(counts.open)
        self.connections.set(counts.connections)
        self.made.increment(by: counts.made - self.told.made)
        self.refused.increment(by: counts.refused.values.reduce(0, +) - self.told.refused.values.reduce(0, +))
        self.packets[.toPeer].increment(by: counts.packetsToPeers - self.told.packetsToPeers)
        self.packets[.toClient].increment(by: counts.packetsToClients - self.told.packetsToClients)
        self.bytes[.toPeer].increment(by: counts.bytesToPeers - self.told.bytesToPeers)
        self.bytes[.toClient].increment(by: counts.bytesToClients - self.told.bytesToClients)
        self.dropped.increment(by: counts.dropped - self.told.dropped)
        self.told = counts
    }
}
