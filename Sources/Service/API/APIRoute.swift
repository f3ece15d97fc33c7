internal import Operations
internal import Web

/// One thing that can be asked over HTTP: an operation where it lives. Parts of path and query become fields.
struct APIRoute: Sendable {
    struct Part: Hashable, Sendable {
        let name: String
        /// Goes into the object as a number, not as a text.
        var isNumber = false
    }

    let operation: Operation
    let route: Route

    var method: HTTPMethod { self.route.method }
    var path: String { self.route.path }
    var status: HTTPStatus { self.route.status }

    static let all = Operation.all.flatMap { operation in
        operation.description.routes.map { APIRoute(operation: operation, route: $0) }
    }

    /// The fields in the path.
    var parts: [Part] { self.route.names.map { self.part($0) } }

    /// A request without a body has its other fields in the query.
    var query: [Part] {
        guard self.method == .get else { return [] }
        return self.operation.description.fields.map(\.name).filter { !self.route.names.contains($0) }
            .map { self.part($0) }
    }

    private func part(_ name: String) -> Part {
        let field = self.operation.description.fields.first { $0.name == name }
        return Part(name: name, isNumber: field?.kind == .integer)
    }
}
