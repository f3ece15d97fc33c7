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
    private let paths: Object

    init() throws {
        let document = try JSONSerialization.jsonObject(with: Data(Assets.openAPI)) as? Object
        self.paths = try #require(document?["paths"] as? Object)
    }

    private static func template(_ path: String) -> String {
        "/"
            + path.split(separator: "/").map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : "\($0)" }
            .joined(separator: "/")
    }

    private func operation(_ route: APIRoute) throws -> Object {
        let path = try #require(self.paths[Self.template(route.route.path)] as? Object)
        return try #require(path[route.route.method.text.lowercased()] as? Object)
    }

    @Test("names every route there is, and no other")
    func names() {
        let real = Set(APIRoute.all.map { "\($0.route.method.text.lowercased()) \(Self.template($0.route.path))" })
        let files = FileRoutes.described.map { "\($0.method.text.lowercased()) \(Self.template($0.path))" }
        let told = Set(self.paths.flatMap { path, methods in (methods as? Object ?? [:]).keys.map { "\($0) \(path)" } })
        #expect(real.union(files).union(["get /v1/events"]) == told)
    }

    @Test("tells the status of what goes well, and all there is for what does not", arguments: APIRoute.all.indices)
    func statuses(index: Int) throws {
        let route = APIRoute.all[index]
        let responses = try #require(try self.operation(route)["responses"] as? Object)
        #expect(responses[String(route.route.status.code)] != nil)
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

    @Test("lets path, query and method stand over the body")
    func objects() throws {
        let route = try #require(
            APIRoute.all.first { $0.route.path.hasSuffix("/:reaction") && $0.route.method == .delete })
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
