internal import Reactor
package import Web

/// What the named parts of a route's pattern matched.
package struct PathParameters: Sendable {
    private var values: [(name: String, value: String)] = []

    package init() {}

    package subscript(name: String) -> String? { self.values.first { $0.name == name }?.value }

    fileprivate mutating func set(_ name: String, _ value: String) { self.values.append((name, value)) }
}

/// Finds who answers a path: `/v1/rooms/:room` takes one segment by name, `/files/*` all that follow, `/*.json` those that
/// end so.
///
/// The first route that fits wins, except that one of a certain path has it before those that only know its end. HEAD is answered as GET without a body; a known path asked for in another way
/// gets 405 with what it allows.
///
/// Web pages from elsewhere are seen to here: a browser that asks first is answered, a page that is not on the list is
/// refused, and one that is on it may read every answer. A route has nothing to do for that.
package struct Router {
    package typealias Handler = (HTTPExchange, PathParameters) -> Void

    /// What becomes of a request that a page from elsewhere makes, when it is not on the list.
    package enum ForeignPages {
        case refused
        /// Refused in words of the route's own.
        case refusedBy((HTTPExchange) -> Void)
        /// Answered the same for all clients; the browser still keeps the answer from the page.
        case answered
    }

    private enum Segment {
        case text(String)
        case name(String)
        /// All that follow, with this at the end.
        case rest(String)
    }

    private struct Route {
        let method: HTTPMethod
        let pattern: [Segment]
        let foreignPages: ForeignPages
        let handler: Handler

        var knowsOnlyEnd: Bool { if case .rest(let suffix)? = self.pattern.last { !suffix.isEmpty } else { false } }
        var isCertain: Bool { if case .rest? = self.pattern.last { false } else { true } }
    }

    private let crossOrigin: CrossOrigin
    private var routes: [Route] = []
    /// Indices of the routes that may match, in their order, by the first segment of a path; and of those that match any first segment.
    private var indices: [Substring: [Int]] = [:]
    private var indicesForAny: [Int] = []

    package init(_ crossOrigin: CrossOrigin = CrossOrigin()) { self.crossOrigin = crossOrigin }

    package mutating func on(
        _ method: HTTPMethod, _ pattern: String, foreignPages: ForeignPages = .refused, _ handler: @escaping Handler
    ) {
        let segments = pattern.split(separator: "/").map { segment -> Segment in
            switch segment.first {
            case ":": .name(String(segment.dropFirst()))
            case "*": .rest(String(segment.dropFirst()))
            default: .text(String(segment))
            }
        }
        self.index(self.routes.count, by: segments.first)
        self.routes.append(Route(method: method, pattern: segments, foreignPages: foreignPages, handler: handler))
    }

    private mutating func index(_ route: Int, by first: Segment?) {
        if case .text(let text)? = first {
            self.indices[Substring(text), default: self.indicesForAny].append(route)
        } else {
            for text in self.indices.keys { self.indices[text]?.append(route) }
            self.indicesForAny.append(route)
        }
    }

    package func respond(to exchange: HTTPExchange) {
        if let answer = self.crossOrigin.preflight(exchange.request, isEncrypted: exchange.isEncrypted) {
            return exchange.respond(answer)
        }
        exchange.answerFields = self.crossOrigin.fields(for: exchange.request, isEncrypted: exchange.isEncrypted)
        self.route(exchange)
    }

    private func route(_ exchange: HTTPExchange) {
        let path = exchange.request.path
        let segments = path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
        let end = path.utf8.last == UInt8(ascii: "/") && !segments.isEmpty ? "/" : ""
        let indices = segments.first.flatMap { self.indices[$0] } ?? self.indicesForAny
        // By index, because a route is expensive to copy.
        let fitting = indices.lazy.compactMap { index in
            Self.match(self.routes[index].pattern, segments, end).map { (index, $0) }
        }
        let method = exchange.request.method == .head ? HTTPMethod.get : exchange.request.method
        let answering = fitting.filter { self.routes[$0.0].method == method }
        if let first = answering.first {
            let knowsOnlyEnd = self.routes[first.0].knowsOnlyEnd
            let (index, parameters) = knowsOnlyEnd ? answering.first { self.routes[$0.0].isCertain } ?? first : first
            return self.answer(exchange, self.routes[index], parameters)
        }
        let methods = fitting.map { self.routes[$0.0].method }
        exchange.respond(
            methods.isEmpty ? .error(.notFound, "not found") : Self.refusal(Array(methods), method))
    }

    private func answer(_ exchange: HTTPExchange, _ route: Route, _ parameters: PathParameters) {
        if self.crossOrigin.allows(exchange.request, isEncrypted: exchange.isEncrypted) {
            return route.handler(exchange, parameters)
        }
        switch route.foreignPages {
        case .answered: route.handler(exchange, parameters)
        case .refused: exchange.respond(CrossOrigin.refusal)
        case .refusedBy(let refuse): refuse(exchange)
        }
    }

    private static func refusal(_ methods: [HTTPMethod], _ method: HTTPMethod) -> HTTPResponse {
        var allowed: [String] = []
        for name in methods.flatMap({ $0 == .get ? ["GET", "HEAD"] : [$0.text] }) + ["OPTIONS"]
        where !allowed.contains(name) { allowed.append(name) }
        var response =
            method == .options ? HTTPResponse(.noContent) : HTTPResponse.error(.methodNotAllowed, "method not allowed")
        response.head.fields.set(.allow, to: allowed.joined(separator: ", "))
        return response
    }

    /// `end` is the slash that the path ends with, if any: it tells a folder from a file.
    private static func match(_ pattern: [Segment], _ path: [Substring], _ end: String) -> PathParameters? {
        var parameters = PathParameters()
        for (index, segment) in pattern.enumerated() {
            if case .rest(let suffix) = segment {
                let rest = path.dropFirst(index)
                guard suffix.isEmpty || (end.isEmpty && rest.last?.hasSuffix(suffix) == true) else { return nil }
                parameters.set("*", rest.isEmpty ? "" : rest.joined(separator: "/") + end)
                return parameters
            }
            guard index < path.count else { return nil }
            switch segment {
            case .text(let text): guard path[index] == text else { return nil }
            case .name(let name): parameters.set(name, String(path[index]))
            case .rest: break
            }
        }
        return path.count == pattern.count ? parameters : nil
    }
}
