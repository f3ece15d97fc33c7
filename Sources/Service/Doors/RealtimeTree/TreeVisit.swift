internal import HTTPServer
internal import JSON
internal import RealtimeTree
internal import Vocabulary
internal import Web

/// One request over HTTP, and its answer.
final class TreeVisit {
    let exchange: HTTPExchange
    let desk: TreeDesk
    let request: TreeRequest
    let access: TreeAccess

    init(_ exchange: HTTPExchange, _ desk: TreeDesk, _ request: TreeRequest, _ access: TreeAccess) {
        self.exchange = exchange
        self.desk = desk
        self.request = request
        self.access = access
    }

    func carryOut() {
        switch self.request.method {
        case .get: self.desk.inTurn(failed: { self.refuse(.unavailable) }) { self.read() }
        case .delete: self.write(Array("null".utf8))
        default:
            self.exchange.collectBody(limit: TreeLimits.writeBytes) { body in self.write(body) }
        }
    }

    func refuse(_ problem: TreeProblem) { self.answer(problem.response) }

    private func answer(_ response: HTTPResponse) {
        var response = response
        response.head.fields.set(.cacheControl, to: "no-cache")
        self.exchange.respond(response)
    }

    // MARK: - Reading

    private func read() {
        let shown: TreeNode
        do throws(TreeProblem) {
            shown = try self.desk.found(self.request.query, at: self.request.path, by: self.access)
        } catch {
            // Names alone are not too much.
            let node = self.desk.tree.at(self.request.path)
            guard error == .answerTooBig, self.request.isShallow else { return self.refuse(error) }
            return self.answer(self.request.response(self.json(node), tag: node))
        }
        if self.exchange.request.fields[.accept]?.contains("text/event-stream") == true {
            return TreeStream(self).start(shown)
        }
        if let known = self.exchange.request.fields[.ifNoneMatch], known == TreeRequest.entityTag(shown) {
            return self.answer(HTTPResponse(.notModified, fields: [.eTag: known]))
        }
        self.answer(self.request.response(self.json(shown), tag: shown))
    }

    private func json(_ node: TreeNode) -> [UInt8] {
        JSONWriter.bytes { json in
            if self.request.isShallow {
                json.shallow(node)
            } else if self.request.target.isPriority {
                if let priority = node.priority { json.scalar(priority) } else { json.null() }
            } else {
                json.tree(node, self.request.form)
            }
        }
    }

    // MARK: - Writing

    private func write(_ body: [UInt8]) {
        guard self.desk.hasRoom(for: self.exchange.client) else { return self.refuse(.tooMany("writes")) }
        let hash = self.exchange.request.fields[.ifMatch].map { TreeRequest.hash(ofTag: $0) }
        switch self.request.method {
        case .post: self.push(body)
        case .patch:
            self.desk.write(by: self.access, { self.written($0) { self.patched($0) } }) { tree, now throws(TreeError) in
                let places = try TreeParser.patch(body.span, at: self.request.path, in: tree, now: now)
                return TreeWrite(merging: places, at: self.request.path)
            }
        default:
            self.desk.write(by: self.access, if: hash, { self.written($0) { self.set($0) } }) {
                tree, now throws(TreeError) in
                try TreeDesk.write(self.request.target, body, over: tree, now)
            }
        }
    }

    private func push(_ body: [UInt8]) {
        let key = self.desk.nextID()
        let target = TreeTarget(self.request.path.appending(key))
        let named = JSONWriter.object { $0.field("name", key.text) }
        self.desk.write(by: self.access, { self.written($0) { _ in self.request.response(named) } }) {
            tree, now throws(TreeError) in
            try TreeDesk.write(target, body, over: tree, now)
        }
    }

    private func written(_ result: Result<TreeWrite, TreeProblem>, _ response: (TreeWrite) -> HTTPResponse) {
        switch result {
        case .success(let write): self.answer(response(write))
        case .failure(.stale): self.answerStale()
        case .failure(let problem): self.refuse(problem)
        }
    }

    /// What is there instead, so that the client can try again.
    private func answerStale() {
        let node = self.desk.tree.at(self.request.path)
        guard self.desk.mayRead(self.request.path, by: self.access) else { return self.refuse(.denied) }
        var response = HTTPResponse.json(.preconditionFailed, JSONWriter.bytes { $0.tree(node, self.request.form) })
        response.head.fields.set(.eTag, to: TreeRequest.entityTag(node))
        self.answer(response)
    }

    private func set(_ write: TreeWrite) -> HTTPResponse {
        let node = write.places.first?.node ?? .nothing
        return self.request.response(JSONWriter.bytes { $0.tree(node, self.request.form) }, tag: node)
    }

    private func patched(_ write: TreeWrite) -> HTTPResponse {
        let json = JSONWriter.object { json in
            for (target, node) in write.places {
                json.key(target.dropping(write.base.count).text)
                json.tree(node, self.request.form)
            }
        }
        return self.request.response(json)
    }
}

extension TreeTarget {
    func dropping(_ count: Int) -> TreeTarget { TreeTarget(self.path.dropping(count), isPriority: self.isPriority) }
}

extension HTTPFieldName {
    static let accept: HTTPFieldName = "Accept"
}
