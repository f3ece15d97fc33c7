import Arguments
import JSON
import Load
import Vocabulary

/// What came of a run, for people and for programs.
struct LoadReport: Sendable {
    let plan: LoadPlan
    let tally: LoadTally
    /// Of the users, not of the server.
    let processorTime: Duration
    let memory: Double

    private static let statistics: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999),
    ]

    /// While it runs.
    static func line(of run: LoadRun) -> String {
        var words = ["\(run.phase.rawValue)", "\(run.online) of \(run.plan.users) users online"]
        for what in [LoadCount.deliveries, .signals, .calls, .errors] where run.tally.count(of: what) > 0 {
            words.append("\(run.tally.count(of: what)) \(what.rawValue)")
        }
        for measure in [LoadMeasure.ack, .signal, .ring] {
            guard let times = run.tally.times[measure] else { continue }
            words.append("p99 \(measure.rawValue) \(times.percentile(0.99).inMilliseconds)")
        }
        return words.joined(separator: "  ")
    }

    func exitCode(_ expectations: [LoadExpectation]) -> ExitCode {
        if self.tally.count(of: .users) == 0, self.plan.users > 0 { return .unavailable }
        guard expectations.isEmpty else {
            return expectations.allSatisfy { $0.isMet(by: self.tally) } ? .success : .failure
        }
        let bad: [LoadCount] = [
            .errors, .lost, .unanswered, .lostSignals, .failedCalls, .duplicates, .foreign, .damaged,
        ]
        return bad.allSatisfy { self.tally.count(of: $0) == 0 } ? .success : .failure
    }
}

// MARK: - For people

extension LoadReport {
    func page(_ expectations: [LoadExpectation]) -> String {
        var lines = AdminTable.aligned(self.timeRows)
        if !self.countRows.isEmpty { lines += [""] + AdminTable.aligned(self.countRows) }
        lines += ["", self.costLine]
        for (words, count) in self.tally.complaints.sorted(by: { $0.value > $1.value }) {
            lines.append("\(count) × \(PlainText.line(words))")
        }
        for expectation in expectations {
            lines.append("\(expectation.isMet(by: self.tally) ? "met    " : "NOT MET") \(expectation.text)")
        }
        return lines.joined(separator: "\n")
    }

    private var timeRows: [[String]] {
        let head = ["TIME", "NUMBER", "MEAN"] + Self.statistics.map { $0.name.uppercased() } + ["MAX"]
        let rows = LoadMeasure.allCases.compactMap { measure -> [String]? in
            guard let times = self.tally.times[measure] else { return nil }
            return [measure.rawValue, "\(times.count)", times.mean.inMilliseconds]
                + Self.statistics.map { times.percentile($0.share).inMilliseconds } + [times.longest.inMilliseconds]
        }
        return [head] + rows
    }

    private var countRows: [[String]] {
        LoadCount.allCases.compactMap { what in
            guard self.tally.counts[what] != nil else { return nil }
            let share = self.tally.share(of: what).map { "\(($0 * 100).fixed(3)) %" } ?? ""
            return [what.rawValue, "\(self.tally.count(of: what))", share]
        }
    }

    private var costLine: String {
        let users = max(1, self.tally.count(of: .users), self.tally.count(of: .allocations))
        return "These users took \((self.processorTime / .seconds(1)).fixed(1)) s of a processor and "
            + "\((self.memory / 1024 / Double(users)).fixed(1)) KiB each."
    }
}

extension Duration {
    fileprivate var inMilliseconds: String {
        let milliseconds = self / .milliseconds(1)
        return "\(milliseconds.fixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0)) ms"
    }
}

// MARK: - For programs

extension LoadReport {
    func json(_ expectations: [LoadExpectation]) -> String {
        JSONWriter.line { json in
            json.object("times") { json in
                for measure in LoadMeasure.allCases {
                    self.tally.times[measure].map { times in json.object(measure.rawValue) { self.write(times, &$0) } }
                }
            }
            json.object("counts") { json in
                for what in LoadCount.allCases where self.tally.counts[what] != nil {
                    json.field(what.rawValue, self.tally.count(of: what))
                }
            }
            json.object("complaints") { json in
                for (words, count) in self.tally.complaints.sorted(by: { $0.key < $1.key }) { json.field(words, count) }
            }
            json.array("expectations", of: expectations) { json, expectation in
                json.object { json in
                    json.field("text", expectation.text)
                    json.field("met", expectation.isMet(by: self.tally))
                }
            }
            json.field("processorSeconds", self.processorTime / .seconds(1), digits: 3)
            json.field("memoryBytes", Int(self.memory))
        }
    }

    private func write(_ times: LatencyHistogram, _ json: inout JSONWriter) {
        json.field("number", times.count)
        json.field("meanMs", times.mean / .milliseconds(1), digits: 3)
        for (name, share) in Self.statistics {
            json.field("\(name)Ms", times.percentile(share) / .milliseconds(1), digits: 3)
        }
        json.field("maxMs", times.longest / .milliseconds(1), digits: 3)
    }
}
