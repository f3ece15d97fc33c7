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
        let path = Path(exchange.request.path)
        let indices = path.segments.first.flatMap { self.indices[$0] } ?? self.indicesForAny
        let method = exchange.request.method == .head ? HTTPMethod.get : exchange.request.method
        guard let index = self.chosen(of: indices, for: method, path) else {
            let methods = indices.filter { path.fits(self.routes[$0].pattern) }.map { self.routes[$0].method }
            return exchange.respond(
                methods.isEmpty ? .error(.notFound, "not found") : Self.refusal(methods, method))
        }
        self.answer(exchange, self.routes[index], path.parameters(by: self.routes[index].pattern))
    }

    /// By index, because a route is expensive to copy.
    private func chosen(of indices: [Int], for method: HTTPMethod, _ path: Path) -> Int? {
        var first: Int?
        for index in indices where self.routes[index].method == method && path.fits(self.routes[index].pattern) {
            if first == nil, !self.routes[index].knowsOnlyEnd { return index }
            if self.routes[index].isCertain { return index }
            first = first ?? index
        }
        return first
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

    /// A path taken apart.
    private struct Path {
        let segments: [Substring]
        private let text: String

        init(_ text: String) {
            self.text = text
            self.segments = text.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
        }

        /// The slash at the end tells a folder from a file.
        private var isFolder: Bool { self.text.utf8.last == UInt8(ascii: "/") }

        func fits(_ pattern: [Segment]) -> Bool {
            for (index, segment) in pattern.enumerated() {
                if case .rest(let suffix) = segment {
                    let last = index < self.segments.count ? self.segments.last : nil
                    return suffix.isEmpty || (!self.isFolder && last?.hasSuffix(suffix) == true)
                }
                guard index < self.segments.count else { return false }
                if case .text(let text) = segment, self.segments[index] != text { return false }
            }
            return self.segments.count == pattern.count
        }

        /// Of a pattern that it fits.
        func parameters(by pattern: [Segment]) -> PathParameters {
            var parameters = PathParameters()
            for (index, segment) in pattern.enumerated() {
                switch segment {
                case .text: break
                case .name(let name): parameters.set(name, String(self.segments[index]))
                case .rest: parameters.set("*", self.rest(from: index))
                }
            }
            return parameters
        }

        /// As it stands: between its segments a path has one slash each.
        private func rest(from index: Int) -> String {
            guard index < self.segments.count else { return "" }
            return String(self.text[self.segments[index].startIndex...])
        }
    }
}
