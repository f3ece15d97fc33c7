internal import Arguments
internal import Vocabulary

/// What a run must show, such as `p99 ack < 50ms`, `max resume <= 3s`, `lost = 0` or `lost-packets < 0.1%`.
package struct LoadExpectation: Hashable, Sendable {
    enum Statistic: Hashable, Sendable {
        case percentile(Double), mean, max
    }

    enum Subject: Hashable, Sendable {
        case time(Statistic, LoadMeasure, limit: Duration)
        case count(LoadCount, limit: Double)
        case share(LoadCount, limit: Double)
    }

    enum Comparison: String, Hashable, Sendable {
        case less = "<"
        case atMost = "<="
        case equal = "="
        case atLeast = ">="
        case more = ">"

        func holds(_ value: Double, _ limit: Double) -> Bool {
            switch self {
            case .less: value < limit
            case .atMost: value <= limit
            case .equal: value == limit
            case .atLeast: value >= limit
            case .more: value > limit
            }
        }
    }

    /// As it was written.
    package let text: String
    let subject: Subject
    let comparison: Comparison

    /// Nil for what has another form.
    package init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard let limit = words.last, words.count == 3 || words.count == 4,
            let comparison = Comparison(rawValue: words[words.count - 2]),
            let subject = words.count == 4
                ? Self.time(words[0], words[1], limit) : Self.amount(words[0], limit)
        else { return nil }
        self.text = words.joined(separator: " ")
        self.subject = subject
        self.comparison = comparison
    }

    private static func time(_ statistic: String, _ measure: String, _ limit: String) -> Subject? {
        guard let measure = LoadMeasure(rawValue: measure), let limit = Duration(argument: limit) else { return nil }
        switch statistic {
        case "mean": return .time(.mean, measure, limit: limit)
        case "max": return .time(.max, measure, limit: limit)
        default:
            guard statistic.hasPrefix("p"), let percent = Double(statistic.dropFirst()), (0...100).contains(percent)
            else { return nil }
            return .time(.percentile(percent / 100), measure, limit: limit)
        }
    }

    private static func amount(_ what: String, _ limit: String) -> Subject? {
        guard let what = LoadCount(rawValue: what) else { return nil }
        if limit.hasSuffix("%") {
            guard what.whole != nil, let percent = Double(limit.dropLast()), percent.isFinite else { return nil }
            return .share(what, limit: percent / 100)
        }
        return Double(limit).flatMap { $0.isFinite ? .count(what, limit: $0) : nil }
    }
}

extension LoadExpectation {
    /// Nothing measured is nothing shown: what never happened meets no expectation of its time.
    package func isMet(by tally: LoadTally) -> Bool {
        switch self.subject {
        case .time(let statistic, let measure, let limit):
            guard let histogram = tally.times[measure] else { return false }
            return self.comparison.holds(
                Double(statistic.value(in: histogram).clampedNanoseconds), Double(limit.clampedNanoseconds))
        case .count(let what, let limit): return self.comparison.holds(Double(tally.count(of: what)), limit)
        case .share(let what, let limit):
            guard let share = tally.share(of: what) else { return false }
            return self.comparison.holds(share, limit)
        }
    }
}

extension LoadExpectation.Statistic {
    func value(in histogram: LatencyHistogram) -> Duration {
        switch self {
        case .percentile(let share): histogram.percentile(share)
        case .mean: histogram.mean
        case .max: histogram.longest
        }
    }
}
