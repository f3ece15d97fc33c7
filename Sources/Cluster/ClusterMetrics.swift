package import Journal

/// What the nodes of this process count.
package final class ClusterMetrics: Sendable {
    /// How something reached one other node.
    package enum Way: String, MetricLabel {
        case direct, notify

        package static let labelName: StaticString = "way"
    }

    /// What was not believed.
    package enum Refused: String, MetricLabel {
        /// What came by NOTIFY.
        case notification
        /// A connection.
        case connection

        package static let labelName: StaticString = "what"
    }

    package let nodes: Gauge
    let links: Gauge
    let messages: MetricFamily<Way, Counter>
    let gaps: Counter
    let lost: Counter
    let refused: MetricFamily<Refused, Counter>

    package init(_ registry: MetricsRegistry) {
        self.nodes = registry.gauge("parley_cluster_nodes", "Other nodes that are heard.")
        self.links = registry.gauge("parley_cluster_links", "Connections to other nodes that are up.")
        self.messages = registry.counters(
            "parley_cluster_messages_total", "What was said to one other node, by the way it took.", by: Way.self)
        self.gaps = registry.counter(
            "parley_cluster_gaps_total", "How often something may have been missed, and was read again.")
        self.lost = registry.counter("parley_cluster_lost_total", "What another node had said and never came.")
        self.refused = registry.counters(
            "parley_cluster_refused_total", "What did not prove the secret of the nodes.", by: Refused.self)
    }
}
