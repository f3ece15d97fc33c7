package import Web

/// Where an operation lives over HTTP: what path, query and method say goes into the fields of the same names.
package struct Route: Hashable, Sendable {
    package let method: HTTPMethod
    /// As the router takes it: parts that begin with a colon are fields.
    package let path: String
    package var status = HTTPStatus.ok
    /// What the method itself says.
    package var constants: [Constant] = []

    package struct Constant: Hashable, Sendable {
        package let name: String
        package let value: Bool
    }

    /// The fields in the path.
    package var names: [String] {
        self.path.split(separator: "/").filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) }
    }

    static func get(_ path: String) -> Route { Route(method: .get, path: "/v1/\(path)") }
    static func put(_ path: String) -> Route { Route(method: .put, path: "/v1/\(path)") }
    static func patch(_ path: String) -> Route { Route(method: .patch, path: "/v1/\(path)") }
    static func post(_ path: String) -> Route { Route(method: .post, path: "/v1/\(path)") }
    static func delete(_ path: String) -> Route { Route(method: .delete, path: "/v1/\(path)") }

    /// Makes something that was not there.
    var creating: Route {
        var copy = self
        copy.status = .created
        return copy
    }

    /// Says `"on": false`.
    var off: Route {
        var copy = self
        copy.constants = [Constant(name: "on", value: false)]
        return copy
    }
}
