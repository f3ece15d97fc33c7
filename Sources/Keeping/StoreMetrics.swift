package import Journal

/// What an engine counts while it works.
package final class StoreMetrics: Sendable {
    /// From the first write of a group until it is on the disk.
    package let commits: Histogram
    /// Requests that wait for their turn.
    package let waiting: Gauge
    package let failures: Counter

    package init(_ registry: MetricsRegistry) {
        self.commits = registry.histogram("parley_store_commit_seconds", "How long a commit of the store took.")
        self.waiting = registry.gauge("parley_store_queue", "Requests that wait for the store.")
        self.failures = registry.counter("parley_store_failures_total", "Commits of the store that failed.")
    }
}
