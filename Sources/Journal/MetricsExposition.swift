/// One metric with all its series, in the text format of Prometheus, version 0.0.4.
struct ExposedFamily: Sendable {
    enum MetricType: String, Sendable { case counter, gauge, histogram }

    let name: String
    let type: MetricType
    let help: String
    let read: @Sendable () -> [ExposedSample]

    func exposition() -> String {
        let samples = self.read()
        guard !samples.isEmpty else { return "" }
        let head = "# HELP \(self.name) \(self.help.escapedHelp)\n# TYPE \(self.name) \(self.type.rawValue)\n"
        return samples.reduce(into: head) { text, sample in text += sample.line(of: self.name) + "\n" }
    }
}

/// One line of a metric.
struct ExposedSample: Sendable {
    var suffix = ""
    var labels: [(name: String, value: String)] = []
    let number: Double

    func line(of name: String) -> String {
        let labels = self.labels.map { "\($0.name)=\"\($0.value.escapedLabel)\"" }.joined(separator: ",")
        return "\(name)\(self.suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(self.number.exposed)"
    }

    /// Buckets add up from the lowest; the count is their total, so that it fits them at any moment.
    static func samples(of histogram: Histogram) -> [ExposedSample] {
        var total = 0
        var samples: [ExposedSample] = []
        for (bound, count) in zip(histogram.bounds + [.infinity], histogram.counts) {
            total += count
            samples.append(ExposedSample(suffix: "_bucket", labels: [("le", bound.exposed)], number: Double(total)))
        }
        samples.append(ExposedSample(suffix: "_sum", number: histogram.sum))
        samples.append(ExposedSample(suffix: "_count", number: Double(total)))
        return samples
    }
}

extension Double {
    /// Whole numbers without a fraction, and the format's own words for what is no number.
    fileprivate var exposed: String {
        switch self {
        case .infinity: "+Inf"
        case -.infinity: "-Inf"
        case _ where self.isNaN: "NaN"
        default: Int64(exactly: self).map { String($0) } ?? String(self)
        }
    }
}

extension String {
    fileprivate var escapedHelp: String {
        self.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += #"\\"#
            case "\n": text += #"\n"#
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    fileprivate var escapedLabel: String {
        self.escapedHelp.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar == "\"" { text += #"\""# } else { text.unicodeScalars.append(scalar) }
        }
    }
}
