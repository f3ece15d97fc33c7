internal import JSON
internal import RealtimeTree
internal import Vocabulary

/// A message of a client, taken apart.
package enum TreeWireMessage {
    /// `{"t":"c","d":{"t":…}}`
    case control(String)
    /// `{"t":"d","d":{"r":…,"a":…,"b":{…}}}`: the number, what is asked, and its members as JSON.
    case request(number: Int, action: String, body: [UInt8])

    /// Nil for what is no message.
    package init?(_ json: Span<UInt8>) {
        let reader = JSONReader(json)
        guard let document = try? reader.document(depth: 64), let whole = try? JSONObject(document, in: reader) else {
            return nil
        }
        let data = whole.object("d")
        switch whole["t", .text] {
        case "c":
            guard let kind = data["t", .text] else { return nil }
            self = .control(kind)
        case "d":
            guard let number = data["r", .integer], let action = data["a", .text] else { return nil }
            self = .request(number: number, action: action, body: data["b", .raw] ?? Array("{}".utf8))
        default: return nil
        }
    }
}

/// Carries out what a client asks.
struct TreeWire {
    let session: TreeSession

    private var desk: TreeDesk { self.session.desk }

    func received(_ message: TreeWireMessage) {
        switch message {
        case .control("p"): self.session.transport?.send(Array(#"{"t":"c","d":{"t":"o","d":null}}"#.utf8))
        case .control: break
        case .request(let number, let action, let body): self.request(number, action, body)
        }
    }

    private func request(_ number: Int, _ action: String, _ body: [UInt8]) {
        do throws(TreeProblem) {
            guard let object = try? JSONObject(body.span) else { throw .wrong("the request has no members") }
            switch action {
            case "s", "appcheck", "unappeck", "unappcheck": self.answer(number, nil)
            case "auth", "gauth": try self.signIn(number, object)
            case "unauth": self.signOut(number)
            case "q", "l": try self.listen(number, object)
            case "n", "u": try self.unlisten(number, object)
            case "g": try self.get(number, object)
            case "p": try self.set(number, object)
            case "m": try self.merge(number, object)
            case "o": try self.leave(number, object)
            case "om": try self.leaveMerge(number, object)
            case "oc":
                let target = try Self.target(object)
                self.session.withdraw(target) { self.answer(number, $0) }
            default: throw .wrong("there is no such request: \(action)")
            }
        } catch {
            self.answer(number, error)
        }
    }

    // MARK: - Answers

    private func answer(_ number: Int, _ problem: TreeProblem?, _ data: (inout JSONWriter) -> Void = { $0.string("") })
    {
        let json = JSONWriter.object { json in
            json.field("t", "d")
            json.object("d") { json in
                json.field("r", number)
                json.object("b") { json in
                    json.field("s", problem?.code ?? "ok")
                    json.key("d")
                    if let problem { json.string(problem.message) } else { data(&json) }
                }
            }
        }
        self.session.transport?.send(json)
    }

    // MARK: - Members

    private static func target(_ object: borrowing JSONObject) throws(TreeProblem) -> TreeTarget {
        guard let text = object["p", .text], let target = TreeTarget(text) else { throw .wrong("Invalid path") }
        return target
    }

    private static func data(_ object: borrowing JSONObject) -> [UInt8] { object["d", .raw] ?? Array("null".utf8) }

    private static func listen(_ object: borrowing JSONObject) throws(TreeProblem) -> TreeSession.Listen {
        let target = try self.target(object)
        guard !target.isPriority else { throw .wrong("Invalid path") }
        do throws(TreeError) {
            let query = object.value("q") == nil ? TreeQuery() : try TreeQueryReader.query(object.object("q"))
            return TreeSession.Listen(path: target.path, query: query)
        } catch {
            throw TreeProblem(error)
        }
    }
}

// MARK: - Who it is

extension TreeWire {
    private func signIn(_ number: Int, _ object: borrowing JSONObject) throws(TreeProblem) {
        guard let credential = object["cred", .text] else { throw .wrongToken }
        var access = try self.session.gate.access(credential, at: self.desk.now)
        if access.isAdministrator, let override = object["authvar", .raw] {
            access = .someone((try? TreeParser.parse(override.span)) ?? .nothing)
        }
        let signedIn = access
        // What was asked before was asked as somebody else.
        self.desk.inTurn {
            self.session.become(signedIn)
            self.session.rulesChanged()
            self.answer(number, nil) { json in
                json.object { json in
                    json.key("auth")
                    json.tree(signedIn.auth, .export)
                    json.optional("expires", signedIn.expiry?.seconds)
                }
            }
        }
    }

    private func signOut(_ number: Int) {
        self.desk.inTurn {
            self.session.become(.nobody)
            self.session.rulesChanged()
            self.answer(number, nil)
        }
    }
}

// MARK: - Reading

extension TreeWire {
    private func listen(_ number: Int, _ object: borrowing JSONObject) throws(TreeProblem) {
        let listen = try Self.listen(object)
        let tag = object["t", .integer]
        self.session.listen(listen, tag: tag, knowing: object["h", .text] ?? "") { problem in
            self.answer(number, problem) { $0.object { _ in } }
        }
    }

    private func unlisten(_ number: Int, _ object: borrowing JSONObject) throws(TreeProblem) {
        self.session.unlisten(try Self.listen(object)) { self.answer(number, nil) }
    }

    private func get(_ number: Int, _ object: borrowing JSONObject) throws(TreeProblem) {
        let listen = try Self.listen(object)
        self.desk.inTurn(failed: { self.answer(number, .unavailable) }) {
            do throws(TreeProblem) {
                let node = try self.desk.found(listen.query, at: listen.path, by: self.session.access)
                self.answer(number, nil) { $0.tree(node, .export) }
            } catch {
                self.answer(number, error)
            }
        }
    }
}

// MARK: - Writing

extension TreeWire {
    private func set(_ number: Int, _ object: borrowing JSONObject) throws(TreeProblem) {
        let (target, data) = (try Self.target(object), Self.data(object))
        guard self.desk.hasRoom(for: self.session.client) else { throw .tooMany("writes") }
        self.desk.write(by: self.session.access, if: object["h", .text], self.written(number)) {
            tree, now throws(TreeError) in
            try TreeDesk.write(target, data, over: tree, now)
        }
    }

    private func merge(_ number: Int, _ object: borrowing JSONObject) throws(TreeProblem) {
        let (target, data) = (try Self.target(object), Self.data(object))
        guard !target.isPriority else { throw .wrong("Invalid path") }
        guard self.desk.hasRoom(for: self.session.client) else { throw .tooMany("writes") }
        self.desk.write(by: self.session.access, if: object["h", .text], self.written(number)) {
            tree, now throws(TreeError) in
            let places = try TreeParser.patch(data.span, at: target.path, in: tree, now: now)
            return TreeWrite(merging: places, at: target.path)
        }
    }

    private func written(_ number: Int) -> TreeDesk.Completion {
        { result in
            switch result {
            case .success: self.answer(number, nil)
            case .failure(let problem): self.answer(number, problem)
            }
        }
    }

    private func leave(_ number: Int, _ object: borrowing JSONObject) throws(TreeProblem) {
        let target = try Self.target(object)
        self.session.leave([(target, Self.data(object))]) { self.answer(number, $0) }
    }

    /// Each place is left for itself, and withdrawn for itself.
    private func leaveMerge(_ number: Int, _ object: borrowing JSONObject) throws(TreeProblem) {
        let base = try Self.target(object).path
        let data = object.object("d")
        var places: [(target: TreeTarget, value: [UInt8])] = []
        for member in data.members {
            guard let target = TreeTarget(data.name(of: member)) else { throw .wrong("Invalid path") }
            places.append((target.below(base), data.reader.raw(member.value)))
        }
        self.session.leave(places) { self.answer(number, $0) }
    }
}
