internal import HTTPServer
internal import JSON
internal import RealtimeTree
internal import Web

/// What a program asks for over HTTP: `PUT /rooms/a.json?print=silent`.
struct TreeRequest {
    let method: HTTPMethod
    let target: TreeTarget
    let query: TreeQuery?
    let fields: QueryItems
    /// Asked for in the answer.
    let wantsETag: Bool

    var path: TreePath { self.target.path }

    init(_ head: HTTPRequestHead) throws(TreeProblem) {
        guard let fields = QueryItems(head.query ?? "") else { throw .wrong("Invalid query") }
        self.fields = fields
        self.method = try Self.method(head, fields)
        self.target = try Self.target(head.target)
        self.wantsETag = head.fields["X-Firebase-ETag"]?.lowercased() == "true"
        do throws(TreeError) {
            self.query = try TreeQueryReader.query(fields: fields.items.map { ($0.name, $0.value) })
        } catch {
            throw TreeProblem(error)
        }
        guard self.query == nil || !self.isShallow else {
            throw .wrong("Shallow cannot be used with other query parameters")
        }
    }

    /// A client that can only POST says in a field what it means.
    private static func method(_ head: HTTPRequestHead, _ fields: QueryItems) throws(TreeProblem) -> HTTPMethod {
        guard head.method == .post else { return head.method == .head ? .get : head.method }
        let name = head.fields["X-HTTP-Method-Override"] ?? fields["x-http-method-override"]
        guard let name else { return .post }
        let known: [HTTPMethod] = [.get, .put, .post, .patch, .delete]
        guard let method = known.first(where: { $0.text == name.uppercased() }) else {
            throw .wrong("Invalid method override")
        }
        return method
    }

    /// Names are decoded once; a slash that comes out of that is none.
    private static func target(_ text: String) throws(TreeProblem) -> TreeTarget {
        var path = text.prefix { $0 != "?" }
        guard path.hasSuffix(".json") else { throw .wrong("Invalid path") }
        path = path.dropLast(5)
        var names: [String] = []
        for part in TreePath.names(in: String(path)) {
            guard let name = PercentCoding.decode(String(part)), !name.utf8.contains(UInt8(ascii: "/")) else {
                throw .wrong("Invalid path: \(part)")
            }
            names.append(name)
        }
        guard let target = TreeTarget(names.joined(separator: "/")) else {
            throw .wrong("Invalid path: Invalid token in path")
        }
        return target
    }

    var isShallow: Bool { self.fields["shallow"] == "true" }
    var isSilent: Bool { self.fields["print"] == "silent" }
    var form: TreeForm { self.fields["format"] == "export" ? .export : .plain }

    /// The token it comes with, wherever that is.
    static func credential(_ head: HTTPRequestHead, _ fields: QueryItems) -> String? {
        fields["access_token"] ?? fields["auth"] ?? BearerToken.found(in: head.fields)
    }

    // MARK: - Answers

    /// The text of an answer as it was asked for.
    func response(_ json: [UInt8], tag node: TreeNode? = nil) -> HTTPResponse {
        var response = self.isSilent ? HTTPResponse(.noContent) : HTTPResponse.json(.ok, self.shaped(json))
        if self.wantsETag, let node { response.head.fields.set(.eTag, to: Self.entityTag(node)) }
        if let callback = self.callback {
            let script = Array("\(callback)(".utf8) + json + Array(");".utf8)
            response.body = .bytes(script)
            response.head.fields.set(.contentType, to: "application/javascript; charset=utf-8")
            response.head.fields.set("X-Content-Type-Options", to: "nosniff")
        }
        if let name = self.fields["download"], let disposition = Self.attachment(name) {
            response.head.fields.set("Content-Disposition", to: disposition)
        }
        return response
    }

    private static func attachment(_ name: String) -> String? {
        let isPlain = name.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45
                || byte == 46
                || byte == 95
        }
        return isPlain && (1...100).contains(name.utf8.count) ? "attachment; filename=\"\(name)\"" : nil
    }

    private var callback: String? {
        guard self.method == .get, let name = self.fields["callback"], (1...100).contains(name.utf8.count),
            name.utf8.allSatisfy({
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95
            })
        else { return nil }
        return name
    }

    private func shaped(_ json: [UInt8]) -> [UInt8] {
        self.fields["print"] == "pretty" ? PrettyJSON.text(of: json) : json
    }

    static func entityTag(_ node: TreeNode) -> String { node.isNothing ? "null_etag" : node.hash }

    /// What has to be there, as `hash` says it.
    static func hash(ofTag tag: String) -> String { tag == "null_etag" ? "" : tag }
}

/// JSON for people: a member in each line.
enum PrettyJSON {
    static func text(of json: [UInt8]) -> [UInt8] {
        var (text, depth, isInText, isEscaped): ([UInt8], Int, Bool, Bool) = ([], 0, false, false)
        let newLine = { (depth: Int) in [10] + [UInt8](repeating: 32, count: 2 * depth) }
        for (index, byte) in json.enumerated() {
            if isInText {
                text.append(byte)
                (isInText, isEscaped) = (isEscaped || byte != 34, !isEscaped && byte == 92)
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                text.append(byte)
                let isEmpty = index + 1 < json.count && (json[index + 1] == 0x7D || json[index + 1] == 0x5D)
                if !isEmpty {
                    depth += 1
                    text += newLine(depth)
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if json[index - 1] != 0x7B, json[index - 1] != 0x5B {
                    depth -= 1
                    text += newLine(depth)
                }
                text.append(byte)
            case UInt8(ascii: ","): text += [byte] + newLine(depth)
            case UInt8(ascii: ":"): text += Array(" : ".utf8)
            default:
                text.append(byte)
                isInText = byte == 34
            }
        }
        return text + [10]
    }
}
