package import Journal
internal import Web

/// What the HTTP side counts, over all loops.
package final class HTTPMetrics: Sendable {
    package enum StatusClass: String, MetricLabel {
        case informational = "1xx"
        case success = "2xx"
        case redirection = "3xx"
        case clientError = "4xx"
        case serverError = "5xx"

        package static let labelName: StaticString = "status"

        init(_ status: HTTPStatus) {
            switch status.code {
            case ..<200: self = .informational
            case ..<300: self = .success
            case ..<400: self = .redirection
            case ..<500: self = .clientError
            default: self = .serverError
            }
        }
    }

    package let connections: Gauge
    package let connectionsTotal: Counter
    package let webSockets: Gauge
    package let requests: Counter
    package let refusals: Counter
    package let slowReaders: Counter
    package let webSocketMessages: Counter
    private let answers: MetricFamily<StatusClass, Counter>

    package init(_ registry: MetricsRegistry) {
        self.connections = registry.gauge("parley_connections", "Open connections of clients.")
        self.connectionsTotal = registry.counter("parley_connections_total", "Connections accepted from clients.")
        self.webSockets = registry.gauge("parley_websockets", "Open WebSockets.")
        self.requests = registry.counter("parley_http_requests_total", "HTTP requests whose head was read.")
        self.refusals = registry.counter("parley_http_refused_total", "HTTP requests that broke a rule or a limit.")
        self.slowReaders = registry.counter("parley_slow_readers_total", "Connections cut for reading too slowly.")
        self.webSocketMessages = registry.counter("parley_websocket_messages_total", "Messages from WebSocket clients.")
        self.answers = registry.counters(
            "parley_http_answers_total", "HTTP answers by class of status.", by: StatusClass.self)
    }

    func answered(_ status: HTTPStatus) { self.answers[StatusClass(status)].increment() }
}

extension LogName {
    static let httpRefused = LogName("http.refused")
    static let httpRequest = LogName("http.request")
    static let tlsRefused = LogName("tls.refused")
}
