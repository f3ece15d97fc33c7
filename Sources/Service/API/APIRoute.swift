internal import HTTPServer
internal import JSON
internal import Operations
internal import Switchboard
internal import Vocabulary
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
    /// The fields in the path.
    let parts: [Part]
    /// A request without a body has its other fields in the query.
    let query: [Part]

    init(_ operation: Operation, _ route: Route) {
        let fields = operation.description.fields
        let (inPath, kinds) = (route.names, Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.kind) }))
        let part = { (name: String) in Part(name: name, isNumber: kinds[name] == .integer) }
        self.operation = operation
        self.route = route
        self.parts = inPath.map(part)
        self.query = route.method == .get ? fields.map(\.name).filter { !inPath.contains($0) }.map(part) : []
    }

    var method: HTTPMethod { self.route.method }
    var path: String { self.route.path }
    var status: HTTPStatus { self.route.status }

    static let all = Operation.all.flatMap { operation in
        operation.description.routes.map { APIRoute(operation, $0) }
    }
}

// MARK: - The request's object

extension APIRoute {
    /// The request's one object: the body's members, and over them what path, query and method say.
    func object(
        _ parameters: PathParameters, _ query: QueryItems, _ body: [UInt8], key: String?
    ) throws(RequestError) -> [UInt8] {
        var json = JSONWriter()
        json.open(UInt8(ascii: "{"))
        json.raw(try Array(Self.inside(body)))
        for part in self.query {
            if let value = query[part.name] { try json.add(part, value) }
        }
        for part in self.parts {
            if let value = parameters[part.name] { try json.add(part, value) }
        }
        for constant in self.route.constants {
            json.field(constant.name, constant.value)
        }
        if let key { try json.add(Part(name: "id"), key) }
        json.close(UInt8(ascii: "}"))
        return json.bytes
    }

    /// What stands between the braces of an object.
    private static func inside(_ body: [UInt8]) throws(RequestError) -> ArraySlice<UInt8> {
        guard !body.isEmpty else { return [] }
        let reader = JSONReader(body.span)
        guard let object = try? reader.document(), object.kind == .object else {
            throw RequestError(.badRequest, "the body must be one JSON object")
        }
        return body[object.range.dropFirst().dropLast()].trimmed
    }
}

extension ArraySlice<UInt8> {
    /// Without white space at its ends, so that an empty object leaves nothing.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x0A, 0x0D, 0x09].contains($0) }
        let start = self.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return [] }
        return start[...last]
    }
}

extension JSONWriter {
    fileprivate mutating func add(_ part: APIRoute.Part, _ value: String) throws(RequestError) {
        self.key(part.name)
        guard part.isNumber else { return self.string(value) }
        guard let number = UInt64(value), String(number) == value else {
            throw RequestError(.badRequest, "field '\(part.name)' must be a whole number")
        }
        self.integer(number)
    }
}
