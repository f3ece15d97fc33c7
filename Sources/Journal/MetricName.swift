/// The name of a metric: `parley_http_requests_total`.
package struct MetricName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    package let description: String

    /// Lower-case words joined by underscores, of which the first is `parley`, or `process` for what
    /// every program reports under the same names.
    package init?(_ text: String) {
        let words = text.split(separator: "_", omittingEmptySubsequences: false)
        guard words.count > 1, words[0] == "parley" || words[0] == "process", text.isWord else { return nil }
        guard words.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.description = text
    }

    package init(stringLiteral text: StaticString) {
        guard let name = MetricName(text.description) else { preconditionFailure("\(text) is no name for a metric") }
        self = name
    }
}

/// What tells the series of one metric apart; as an enumeration, so that no stranger can add another.
///
///     enum Transport: String, MetricLabels {
///         static let labelName: StaticString = "transport"
///         case polling, websocket
///     }
package protocol MetricLabels: Hashable, Sendable, CaseIterable where AllCases: Sendable {
    /// Names and values, in the order in which they are shown.
    var labels: [(name: String, value: String)] { get }
}

/// A label of its own: the name stands on the type, the value is the case.
package protocol MetricLabel: MetricLabels, RawRepresentable where RawValue == String {
    static var labelName: StaticString { get }
}

extension MetricLabel {
    package var labels: [(name: String, value: String)] { [(Self.labelName.description, self.rawValue)] }
}
