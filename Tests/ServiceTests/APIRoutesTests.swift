import Assets
import Foundation
import HTTPServer
import JSON
import Operations
import Switchboard
import Testing
import Web

@testable import Service

@Suite("The description of the HTTP API")
struct APIRoutesTests {
    private typealias Object = [String: Any]
    private let document: Object
    private let paths: Object

    init() throws {
        let document = try JSONSerialization.jsonObject(with: Data(Assets.openAPI)) as? Object
        self.document = try #require(document)
        self.paths = try #require(self.document["paths"] as? Object)
    }

    private static func template(_ path: String) -> String {
        "/"
            + path.split(separator: "/").map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : "\($0)" }
            .joined(separator: "/")
    }

    private func operation(_ route: APIRoute) throws -> Object {
        let path = try #require(self.paths[Self.template(route.path)] as? Object)
        return try #require(path[route.method.text.lowercased()] as? Object)
    }

    @Test("names every route there is, and no other")
    func names() {
        let real = Set(APIRoute.all.map { "\($0.method.text.lowercased()) \(Self.template($0.path))" })
        let files = (FileRoutes.described + PushRoutes.described).map {
            "\($0.method.text.lowercased()) \(Self.template($0.path))"
        }
        // Signing in is compared by the scenarios, with its documents and with a server.
        let told = Set(
            self.paths.filter { !$0.key.hasPrefix("/v1/auth/") }
                .flatMap { path, methods in (methods as? Object ?? [:]).keys.map { "\($0) \(path)" } })
        #expect(real.union(files).union(["get /v1/events"]) == told)
    }

    @Test("tells the status of what goes well, and all there is for what does not", arguments: APIRoute.all.indices)
    func statuses(index: Int) throws {
        let route = APIRoute.all[index]
        let responses = try #require(try self.operation(route)["responses"] as? Object)
        #expect(responses[String(route.status.code)] != nil)
        for code in RequestError.Code.allCases {
            #expect(responses[String(APIProblem.status(of: code).code)] != nil, "\(code)")
        }
    }

    @Test("knows the parts of every path and query", arguments: APIRoute.all.indices)
    func parameters(index: Int) throws {
        let route = APIRoute.all[index]
        let list = try self.operation(route)["parameters"] as? [Object] ?? []
        let names = Set(list.compactMap { $0["name"] as? String })
        #expect(names.isSuperset(of: (route.parts + route.query).map(\.name)))
    }

    private func resolve(_ object: Any?) -> Object? {
        guard let object = object as? Object else { return nil }
        guard let place = object["$ref"] as? String else { return object }
        return place.split(separator: "/").dropFirst().reduce(self.document as Object?) { $0?[String($1)] as? Object }
    }

    /// The JSON that a request or an answer brings.
    private func schema(_ message: Any?) -> Object? {
        let content = self.resolve(message)?["content"] as? Object
        return (content?["application/json"] as? Object)?["schema"] as? Object
    }

    @Test(
        "knows the fields of every body, by name and kind, and of every field where it comes",
        arguments: APIRoute.all.indices)
    func fields(index: Int) throws {
        let route = APIRoute.all[index]
        let operation = try self.operation(route)
        let fields = Dictionary(uniqueKeysWithValues: route.operation.description.fields.map { ($0.name, $0) })
        let body = self.resolve(self.schema(operation["requestBody"]))
        let properties = body?["properties"] as? Object ?? [:]
        for (name, property) in properties {
            let kind = self.resolve(property)?["type"] as? String
            #expect(fields[name] != nil && kind == fields[name]?.kind.rawValue, "\(name)")
        }
        let places = Set((route.parts + route.query).map(\.name)).union(properties.keys)
        let constants = route.route.constants.map(\.name)
        for field in fields.values where !field.isOptional {
            #expect(places.contains(field.name) || constants.contains(field.name), "\(field.name)")
        }
        let required = Set(body?["required"] as? [String] ?? [])
        #expect(required.isSubset(of: fields.keys))
    }

    @Test("knows the answer of every operation, with its fields", arguments: APIRoute.all.indices)
    func answers(index: Int) throws {
        let route = APIRoute.all[index]
        let responses = try #require(try self.operation(route)["responses"] as? Object)
        let answer = route.operation.description.answer
        let reference = try #require(self.schema(responses[String(route.status.code)]))
        #expect(reference["$ref"] as? String == "#/components/schemas/\(answer.rawValue)")
        try self.compare(try #require(self.resolve(reference)), answer.fields)
    }

    @Test("knows the fields of an entry")
    func entry() throws {
        let schema = self.resolve(["$ref": "#/components/schemas/Entry"])
        try self.compare(try #require(schema), ServerEvent.entryFields)
    }

    private func compare(_ schema: Object, _ fields: [FieldDescription]) throws {
        let properties = schema["properties"] as? Object ?? [:]
        #expect(Set(properties.keys) == Set(fields.map(\.name)))
        #expect(Set(schema["required"] as? [String] ?? []) == Set(fields.filter { !$0.isOptional }.map(\.name)))
        for field in fields {
            let kind = self.resolve(properties[field.name])?["type"] as? String
            #expect(kind == field.kind.rawValue, "\(field.name)")
        }
    }

    @Test("lets path, query and method stand over the body")
    func objects() throws {
        let route = try #require(
            APIRoute.all.first { $0.path.hasSuffix("/:reaction") && $0.method == .delete })
        let query = try #require(QueryItems(""))
        let body = Array(#" { "on" : true, "number": 1 } "#.utf8)
        let bytes = try route.object(PathParameters(), query, body, key: "k")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? Object)
        #expect(object["on"] as? Bool == false && object["id"] as? String == "k" && object["number"] as? Int == 1)
        for broken in ["[]", "{", "1", #"{"a":1}}"#] {
            #expect(throws: RequestError.self) {
                try route.object(PathParameters(), query, Array(broken.utf8), key: nil)
            }
        }
    }
}
