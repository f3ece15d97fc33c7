import Testing

@testable import Journal

private enum Outcome: String, MetricLabel {
    static let labelName: StaticString = "outcome"
    case done
    case odd = "a \"b\"\\c\nd"
}

@Suite("Metrics")
struct MetricsTests {
    let registry = MetricsRegistry()

    @Test("show as Prometheus reads them, in the order in which they were made")
    func exposition() {
        let requests = self.registry.counter("parley_requests_total", "Requests.\nAll \\ of them.")
        let open = self.registry.gauge("parley_connections", "Open connections.")
        self.registry.gauge("parley_temperature", "Asked for.") { -0.5 }
        self.registry.gauge("parley_unknown", "Not to be had.") { nil }
        self.registry.counter("parley_asked_total", "Counted elsewhere.") { 12 }
        requests.increment()
        requests.increment(by: 41)
        open.set(5)
        open.increment(by: 3)
        open.decrement()
        #expect(
            self.registry.exposition() == #"""
                # HELP parley_requests_total Requests.\nAll \\ of them.
                # TYPE parley_requests_total counter
                parley_requests_total 42
                # HELP parley_connections Open connections.
                # TYPE parley_connections gauge
                parley_connections 7
                # HELP parley_temperature Asked for.
                # TYPE parley_temperature gauge
                parley_temperature -0.5
                # HELP parley_asked_total Counted elsewhere.
                # TYPE parley_asked_total counter
                parley_asked_total 12

                """#
        )
    }

    @Test("show every case of a label from the start, escaped")
    func labels() {
        let sent = self.registry.counters("parley_sent_total", "Sent.", by: Outcome.self)
        sent[.odd].increment()
        #expect(
            self.registry.exposition() == #"""
                # HELP parley_sent_total Sent.
                # TYPE parley_sent_total counter
                parley_sent_total{outcome="done"} 0
                parley_sent_total{outcome="a \"b\"\\c\nd"} 1

                """#
        )
    }

    @Test("add up the buckets of a histogram")
    func histogram() {
        let wait = self.registry.histogram("parley_wait_seconds", "Waiting.", bounds: [0.1, 1])
        for value in [0.1, 0.05, 0.5, 7] { wait.observe(value) }
        wait.observe(.milliseconds(350))
        #expect(
            self.registry.exposition() == """
                # HELP parley_wait_seconds Waiting.
                # TYPE parley_wait_seconds histogram
                parley_wait_seconds_bucket{le="0.1"} 2
                parley_wait_seconds_bucket{le="1"} 4
                parley_wait_seconds_bucket{le="+Inf"} 5
                parley_wait_seconds_sum 8
                parley_wait_seconds_count 5

                """
        )
        #expect(wait.counts == [2, 2, 1])
    }

    @Test("lose no count when many threads count")
    func threads() async {
        let counter = self.registry.counter("parley_steps_total", "Steps.")
        let gauge = self.registry.gauge("parley_level", "Level.")
        let histogram = self.registry.histogram("parley_size", "Size.", bounds: [0.5])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 {
                        counter.increment()
                        gauge.increment(by: 2)
                        gauge.decrement()
                        histogram.observe(1)
                    }
                }
            }
        }
        #expect(counter.value == 80_000 && gauge.value == 80_000)
        #expect(histogram.counts == [0, 80_000] && histogram.sum == 80_000)
    }

    @Test(
        "have names that follow the rules",
        arguments: [
            ("parley_a", true), ("parley_a_b2_total", true), ("process_open_fds", true), ("parley", false),
            ("parley_", false),
            ("http_requests", false), ("parley__a", false), ("parley_A", false), ("parley_a-b", false), ("", false),
            ("parley_ä", false),
        ]
    )
    func names(text: String, isName: Bool) {
        #expect((MetricName(text) != nil) == isName)
    }
}

@Suite("Metrics of the process")
struct ProcessMetricsTests {
    @Test("are lines that a scraper accepts, with plausible numbers")
    func plausible() throws {
        let registry = MetricsRegistry()
        ProcessMetrics.register(in: registry)
        let samples = try ExpositionReader.samples(in: registry.exposition())
        #expect(try #require(samples["process_cpu_seconds_total"]) > 0)
        #expect(try #require(samples["process_resident_memory_bytes"]) > 1_000_000)
        #if os(Linux)
        #expect(try #require(samples["process_open_fds"]) >= 3)
        let start = try #require(samples["process_start_time_seconds"])
        #expect(abs(start - Double(LogTime.now().secondsSince1970)) < 86_400)
        #endif
    }
}

/// Reads the text format the way a scraper does, and refuses what a scraper would refuse.
enum ExpositionReader {
    struct Malformed: Error { let line: String }

    static func samples(in text: String) throws -> [String: Double] {
        var samples: [String: Double] = [:]
        var typed: Set<String> = []
        let line = #/([a-z_][a-z0-9_]*)(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)+\})? (NaN|[+-]Inf|[-+.e0-9]+)/#
        for row in text.split(separator: "\n") where !row.hasPrefix("# HELP ") {
            if let type = row.wholeMatch(of: #/# TYPE ([a-z0-9_]+) (?:counter|gauge|histogram)/#) {
                guard typed.insert(String(type.1)).inserted else { throw Malformed(line: String(row)) }
            } else if let sample = row.wholeMatch(of: line), let number = Double(sample.2) {
                guard typed.contains(where: { sample.1.hasPrefix($0) }) else { throw Malformed(line: String(row)) }
                samples[String(sample.1)] = number
            } else {
                throw Malformed(line: String(row))
            }
        }
        return samples
    }
}
