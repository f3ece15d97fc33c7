internal import JSON
internal import Hashing
internal import Identity
internal import Reactor
internal import RealtimeTree
internal import Vocabulary

/// What carries the messages of a session.
protocol TreeTransport: AnyObject {
    func send(_ json: [UInt8])
    func send(_ message: TreeMessage)
    /// Once what was said before is on its way.
    func close()
}

/// One client of the WebSocket protocol, whatever carries it: what it asks, what it listens to, and what it left for its end.
final class TreeSession: TreeObserver {
    struct Listen: Hashable {
        let path: TreePath
        let query: TreeQuery
    }

    let id = TreeDesk.randomName()
    let desk: TreeDesk
    let gate: TreeGate
    /// From where, for limits.
    let client: IPAddress
    let reactor: Reactor
    private(set) var transport: (any TreeTransport)?
    private(set) var access = TreeAccess.nobody
    private var number = 0
    private var listens: [Listen: Int?] = [:]
    private(set) var left = LeftWrites()
    private var leftAccess: [TreeTarget: TreeAccess] = [:]
    private var expiryTimer: TimerToken?
    private(set) var isEnded = false
    var onEnd: (TreeSession) -> Void = { _ in }

    private static let maximumListens = 2000

    init(_ desk: TreeDesk, _ gate: TreeGate, for client: IPAddress, on reactor: Reactor) {
        self.desk = desk
        self.gate = gate
        self.client = client
        self.reactor = reactor
    }

    /// - Parameter host: how the client reached us, where it comes again.
    func start(over transport: any TreeTransport, host: String) {
        self.transport = transport
        self.number = self.desk.enter(self)
        transport.send(self.hello(host))
    }

    func hello(_ host: String) -> [UInt8] {
        JSONWriter.object { json in
            json.field("t", "c")
            json.object("d") { json in
                json.field("t", "h")
                json.object("d") { json in
                    json.field("ts", self.desk.now.milliseconds)
                    json.field("v", "5")
                    json.field("h", host)
                    json.field("s", self.id)
                }
            }
        }
    }

    /// From now on it goes on over another one.
    func move(to transport: any TreeTransport) { self.transport = transport }

    /// The connection is gone, in whichever way.
    func end() {
        guard !self.isEnded else { return }
        self.isEnded = true
        if let timer = self.expiryTimer.take() { self.reactor.cancel(timer) }
        for listen in self.listens.keys { self.desk.unlisten(self.number, listen.path, listen.query) }
        self.desk.leave(self.number)
        self.onEnd(self)
        let items = self.left.items.map { ($0, self.leftAccess[$0.target] ?? .nobody) }
        self.left = LeftWrites()
        self.desk.finish(self.id, items)
        let transport = self.transport.take()
        transport?.close()
    }

    // MARK: - What happens in the tree

    func hear(_ news: TreeMessage) { self.transport?.send(news) }

    func hear(_ news: TreeNews, at place: TreePath, tag: Int?) {
        self.transport?.send(TreeMessage.json(news, tag: tag))
    }

    /// What was left for the end stays on the disk, and is seen to when the tree is read anew.
    func interrupted() {
        self.left = LeftWrites()
        self.listens = [:]
        self.end()
    }

    func accessChanged(_ accounts: Accounts) {
        if !self.access.isGood(accounts) { self.revoke() }
    }

    private func revoke() {
        self.become(.nobody)
        self.push("ac") { json in
            json.field("s", TreeProblem.expired.code)
            json.field("d", TreeProblem.expired.message)
        }
    }

    /// Listens that are no longer allowed end.
    func rulesChanged() {
        for listen in self.listens.keys where !self.desk.mayRead(listen.path, by: self.access) {
            self.drop(listen)
            self.push("c") { json in
                json.field("p", listen.path.text)
                json.nullable("q", nil as String?)
            }
        }
    }

    private func drop(_ listen: Listen) {
        guard self.listens.removeValue(forKey: listen) != nil else { return }
        self.desk.unlisten(self.number, listen.path, listen.query)
    }

    private func push(_ action: String, _ body: (inout JSONWriter) -> Void) {
        let json = JSONWriter.object { json in
            json.field("t", "d")
            json.object("d") { json in
                json.field("a", action)
                json.object("b", body)
            }
        }
        self.transport?.send(json)
    }
}

// MARK: - Who it is

extension TreeSession {
    func become(_ access: TreeAccess) {
        self.access = access
        if let timer = self.expiryTimer.take() { self.reactor.cancel(timer) }
        guard let expiry = access.expiry else { return }
        let wait = max(expiry.milliseconds - self.desk.now.milliseconds, 0)
        self.expiryTimer = self.reactor.schedule(after: .milliseconds(wait)) { [weak self] in
            self?.expiryTimer = nil
            self?.revoke()
        }
    }
}

// MARK: - What it listens to, and what it leaves

extension TreeSession {
    func listen(_ listen: Listen, tag: Int?, knowing hash: String, _ answer: @escaping (TreeProblem?) -> Void) {
        guard self.listens.count < Self.maximumListens else { return answer(.tooMany("listens")) }
        self.desk.inTurn(failed: { answer(.unavailable) }) {
            guard !self.isEnded else { return }
            let node: TreeNode
            do throws(TreeProblem) {
                node = try self.desk.found(listen.query, at: listen.path, by: self.access)
            } catch {
                return answer(error)
            }
            self.drop(listen)
            self.listens[listen] = tag
            self.desk.listen(self.number, listen.path, listen.query, tag: tag)
            if hash.isEmpty || node.hash != hash {
                let news = TreeNews(path: listen.path, change: .set(node))
                self.transport?.send(TreeMessage.json(news, tag: tag))
            }
            answer(nil)
        }
    }

    func unlisten(_ listen: Listen, _ answer: @escaping () -> Void) {
        self.desk.inTurn(failed: answer) {
            self.drop(listen)
            answer()
        }
    }

    /// All of them or none.
    func leave(_ places: [(target: TreeTarget, value: [UInt8])], _ answer: @escaping (TreeProblem?) -> Void) {
        do throws(TreeProblem) {
            for (target, value) in places { try self.desk.mayLeave(target, value, by: self.access) }
            guard self.left.items.count + places.count <= LeftWrites.maximum else {
                throw .tooMany("writes for the end of the connection")
            }
        } catch {
            return answer(error)
        }
        let items = places.map { target, value in
            LeftWrites.Item(target, number: self.desk.nextLeftNumber(), value: value)
        }
        for item in items {
            self.left.put(item)
            self.leftAccess[item.target] = self.access
        }
        self.desk.leave(items, for: self.id, by: self.access, withdrawing: nil, answer)
    }

    func withdraw(_ target: TreeTarget, _ answer: @escaping (TreeProblem?) -> Void) {
        self.left.withdraw(target)
        self.desk.leave([], for: self.id, by: self.access, withdrawing: target, answer)
    }
}
