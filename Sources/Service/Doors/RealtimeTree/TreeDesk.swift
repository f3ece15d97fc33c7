internal import HTTPServer
internal import Hashing
internal import Identity
internal import JSON
internal import Journal
internal import Keeping
internal import Pacing
internal import Reactor
internal import RealtimeTree
internal import Vocabulary

/// Who is told what changes in the tree.
protocol TreeObserver: AnyObject {
    /// All of a place, to which this connection listens.
    func hear(_ news: TreeMessage)
    /// What a query shows.
    func hear(_ news: TreeNews, at place: TreePath, tag: Int?)
    /// The tree as it was known is not sure any more: everything has to be asked anew.
    func interrupted()
    /// Somebody was banned, deleted or signed out.
    func accessChanged(_ accounts: Accounts)
    func rulesChanged()
}

/// The tree, and what is decided over it, one write after the other. Lives on the home loop.
///
/// A write is decided at once, over everything that was decided before it, and told when it is on the disk, in the same
/// order. Whatever else is asked waits for the writes before it, so all clients see one history.
///
///     closed ──begin──▶ loading ──all rows are here──▶ open
///                          ▲──────a commit failed───────┘
final class TreeDesk: @unchecked Sendable {
    // Unchecked because it is used on the home loop alone.
    private enum State { case closed, loading, open }

    /// Something that is told in its turn.
    private struct Turn {
        let number: Int
        var isSettled: Bool
        let body: () -> Void
        /// Nil for what asks and does not write.
        var write: (write: TreeWrite, after: TreeNode, access: TreeAccess)?
        let failed: () -> Void
    }

    private var state = State.closed
    private var dependencies: DoorDependencies?
    private var owner = ""
    /// As it is decided.
    private var head = TreeNode.nothing
    /// As it was told.
    private(set) var tree = TreeNode.nothing
    private var bytes = 0
    private var turns: [Turn] = []
    private var firstTurn = 0
    private var nextNumber = 0
    private var listens = TreeListens()
    private var observers: [Int: any TreeObserver] = [:]
    private var nextObserver = 0
    private var leftNumber: Int64 = 0
    private var sessions: TreeSessions?
    /// How many look at all of it.
    var viewers = 0
    var bridge: TreeBridge?
    private var ids = PushIDs(SecureRandom())
    private var rates: PrefixBuckets
    /// Told of every write that is on the disk, whoever listens.
    var onWrite: (TreeWrite, TreeNode, TreeNode, TreeAccess) -> Void = { _, _, _, _ in }
    /// Told when all of it is here.
    var onOpen: () -> Void = {}
    private var rules: TreeRules
    private var ruleFile: TreeRuleFile?
    private let maximumBytes: Int

    init(_ settings: TreeSettings) {
        self.rules = settings.rules
        self.maximumBytes = settings.maximumBytes
        let rate = Double(settings.writesPerSecond)
        self.rates = PrefixBuckets(.init(perSecond: rate, burst: 2 * rate))
    }

    var isOpen: Bool { self.state == .open }
    var now: WallTime { SystemClock.now() }
    var milliseconds: Double { Double(self.now.milliseconds) }

    func nextID() -> TreeKey { self.ids.next(at: self.now.milliseconds) }

    /// Whether an address may write once more.
    func hasRoom(for client: IPAddress) -> Bool {
        guard let reactor = self.dependencies?.reactor else { return false }
        return self.rates.spend(1, by: client, at: Instant(milliseconds: Int64(clamping: reactor.now))) == nil
    }

    func sessions(_ gate: TreeGate) -> TreeSessions {
        if let sessions { return sessions }
        let made = TreeSessions(self, gate)
        self.sessions = made
        return made
    }
    var byteCount: Int { self.bytes }
}

// MARK: - Loading

extension TreeDesk {
    private static let portion = 5000

    /// - Parameter rulesFile: what rules are read from again when it changes.
    func begin(_ dependencies: DoorDependencies, rulesFile: String?) {
        self.dependencies = dependencies
        self.ruleFile = rulesFile.map { path in
            TreeRuleFile(path, on: dependencies.reactor, dependencies.journal) { [weak self] in self?.change($0) }
        }
        dependencies.errands.add(begin: { self.load() }, end: { if self.state != .closed { self.forget() } })
        let (loop, accounts) = (dependencies.reactor.loop, dependencies.accounts)
        accounts.observe { _ in
            loop.execute { _ in for observer in self.observers.values { observer.accessChanged(accounts) } }
        }
    }

    private func load() {
        guard self.state != .loading else { return }
        if self.state == .open { self.forget() }
        self.state = .loading
        self.owner = Self.randomName()
        self.ask(ClaimTree(self.owner)) { desk, _ in desk.loadRows(after: nil, .nothing, [], 0) }
    }

    /// Whoever listens to what is not allowed any more is told.
    private func change(_ rules: TreeRules) {
        self.rules = rules
        for observer in self.observers.values { observer.rulesChanged() }
    }

    static func randomName() -> String {
        var random = SecureRandom()
        return random.bytes(15).map { byte in String(byte, radix: 36) }.joined().prefix(20).description
    }

    private func loadRows(after path: String?, _ tree: TreeNode, _ priorities: [TreeRow], _ bytes: Int) {
        self.ask(ListTreeRows(after: path, limit: Self.portion)) { desk, rows in
            var (tree, priorities, bytes) = (tree, priorities, bytes)
            for row in rows {
                bytes += row.path.utf8.count + row.value.count
                // A priority can only be given to what is there.
                if row.path.hasSuffix(".priority") { priorities.append(row) } else { desk.restore(row, &tree) }
            }
            if rows.count == Self.portion { return desk.loadRows(after: rows.last?.path, tree, priorities, bytes) }
            for row in priorities { desk.restore(row, &tree) }
            desk.loadLeftWrites(tree, bytes)
        }
    }

    private func restore(_ row: TreeRow, _ tree: inout TreeNode) {
        if !row.restore(into: &tree) {
            self.dependencies?.journal.error(.treeRowNotRead, "a value in the store makes no sense")
        }
    }

    private func loadLeftWrites(_ tree: TreeNode, _ bytes: Int) {
        self.ask(ListLeftWrites()) { desk, left in
            (desk.head, desk.tree, desk.bytes, desk.state) = (tree, tree, bytes, .open)
            desk.leftNumber = max(desk.leftNumber, left.last?.number ?? 0)
            desk.onOpen()
            desk.finishSessions(left)
            desk.dependencies?.journal.info(
                .treeOpened, "the tree is open; so many writes were left", [.count: .integer(left.count)])
        }
    }

    /// Sessions of an earlier run ended with it.
    private func finishSessions(_ left: [LeftWrite]) {
        for (session, writes) in Dictionary(grouping: left, by: \.session).sorted(by: { $0.key < $1.key }) {
            let items = writes.compactMap { write in
                TreeTarget(write.path).map { target in
                    (LeftWrites.Item(target, number: write.number, value: write.value), TreeAccess(json: write.auth))
                }
            }
            self.finish(session, items)
        }
    }

    /// Asks the store until it answers.
    func ask<Request: StoreRequest>(
        _ request: Request, _ answered: @escaping (TreeDesk, Request.Answer) -> Void
    ) {
        guard let dependencies = self.dependencies else { return }
        dependencies.store.send(
            request,
            dependencies.reactor.returning { result in
                switch result {
                case .success(let answer): answered(self, answer)
                case .failure(let error):
                    dependencies.journal.error(
                        .treeNotLoaded, "the store did not answer the tree, and is asked again", [.error: .error(error)]
                    )
                    _ = dependencies.reactor.schedule(after: .seconds(1)) { self.ask(request, answered) }
                }
            })
    }
}

// MARK: - Writing

extension TreeDesk {
    typealias Completion = (Result<TreeWrite, TreeProblem>) -> Void

    /// - Parameters:
    ///   - hash: of what has to be there, where that was said.
    ///   - make: what is to be written, over what is there.
    func write(
        by access: TreeAccess, if hash: String? = nil, _ done: @escaping Completion,
        _ make: (TreeNode, Double) throws(TreeError) -> TreeWrite
    ) {
        let now = self.milliseconds
        do throws(TreeProblem) {
            guard self.isOpen else { throw .unavailable }
            let write = try Self.made(self.head, now, make)
            let after = write.applied(to: self.head)
            if let hash, self.head.at(write.base).hash != hash { throw .stale }
            guard
                access.isAdministrator
                    || self.rules.allowsWrite(write, by: access.auth, from: self.head, to: after, now: now)
            else { throw .denied }
            let change = TreeRowChanges(from: self.head, to: after, by: write)
            var commit = CommitTree(by: self.owner)
            commit.changes = [change]
            try self.claim(write, after, change)
            self.head = after
            self.commit(commit, (write, after, access), done)
        } catch {
            // What it was decided over has to be told before.
            self.inTurn(failed: { done(.failure(.unavailable)) }, { done(.failure(error)) })
        }
    }

    private static func made(
        _ tree: TreeNode, _ now: Double, _ make: (TreeNode, Double) throws(TreeError) -> TreeWrite
    ) throws(TreeProblem) -> TreeWrite {
        do throws(TreeError) {
            let write = try make(tree, now)
            try write.check()
            return write
        } catch {
            throw TreeProblem(error)
        }
    }

    /// What the whole tree may take is memory.
    private func claim(_ write: TreeWrite, _ after: TreeNode, _ change: TreeRowChanges) throws(TreeProblem) {
        let gone = change.cleared.reduce(0) { $0 + self.head.at($1).byteCount(at: $1) }
        let bytes = self.bytes + change.addedBytes - gone
        guard bytes <= max(self.maximumBytes, self.bytes) else { throw .full }
        self.bytes = max(bytes, 0)
    }

    private func commit(
        _ commit: CommitTree, _ write: (write: TreeWrite, after: TreeNode, access: TreeAccess),
        _ done: @escaping Completion
    ) {
        let number = self.append(
            isSettled: commit.isEmpty, write, failed: { done(.failure(.unavailable)) },
            { done(.success(write.write)) })
        if commit.isEmpty { return self.flush() }
        self.send(commit, number)
    }

    private func append(
        isSettled: Bool, _ write: (write: TreeWrite, after: TreeNode, access: TreeAccess)?,
        failed: @escaping () -> Void,
        _ body: @escaping () -> Void
    ) -> Int {
        self.nextNumber += 1
        self.turns.append(
            Turn(number: self.nextNumber, isSettled: isSettled, body: body, write: write, failed: failed))
        return self.nextNumber
    }

    private func send(_ commit: CommitTree, _ number: Int) {
        guard let dependencies = self.dependencies else { return }
        let owner = self.owner
        dependencies.store.send(
            commit,
            dependencies.reactor.returning { result in
                // What was decided before the tree was read anew has failed already.
                guard owner == self.owner else { return }
                switch result {
                case .success(true): self.settle(number)
                case .success(false): self.interrupt("another server has the tree now")
                case .failure(let error): self.interrupt("\(error)")
                }
            })
    }

    private func settle(_ number: Int) {
        let index = number - (self.turns.indices.contains(self.firstTurn) ? self.turns[self.firstTurn].number : number)
        let place = self.firstTurn + index
        if self.turns.indices.contains(place) { self.turns[place].isSettled = true }
        self.flush()
    }

    /// What has nothing to wait for is done at once.
    func inTurn(failed: @escaping () -> Void = {}, _ body: @escaping () -> Void) {
        if self.firstTurn == self.turns.count { return body() }
        _ = self.append(isSettled: true, nil, failed: failed, body)
    }

    private func flush() {
        while self.firstTurn < self.turns.count, self.turns[self.firstTurn].isSettled {
            let turn = self.turns[self.firstTurn]
            self.firstTurn += 1
            if let (write, after, access) = turn.write { self.tell(write, after, by: access) }
            turn.body()
        }
        if self.firstTurn == self.turns.count {
            self.turns.removeAll(keepingCapacity: true)
            self.firstTurn = 0
        } else if self.firstTurn > 1024 {
            self.turns.removeFirst(self.firstTurn)
            self.firstTurn = 0
        }
    }

    /// What is known here counts no more: what waits fails, and everybody who listens is cut.
    private func forget() {
        let waiting = self.turns.dropFirst(self.firstTurn)
        (self.turns, self.firstTurn, self.listens) = ([], 0, TreeListens())
        self.owner = ""
        self.state = .closed
        for turn in waiting { turn.failed() }
        for observer in self.observers.values { observer.interrupted() }
    }

    /// Nobody knows what is on the disk: the tree is read anew, and everybody who listens begins anew.
    private func interrupt(_ reason: String) {
        guard self.state == .open, let dependencies = self.dependencies else { return }
        dependencies.journal.error(.treeNotWritten, "the tree could not be written", [.reason: .plain(reason)])
        self.forget()
        if dependencies.errands.isOurs { self.load() }
    }
}

extension CommitTree {
    /// Whether there is nothing to keep.
    fileprivate var isEmpty: Bool {
        self.endedSessions.isEmpty && self.withdrawn.isEmpty && self.left.isEmpty
            && self.changes.allSatisfy { $0.cleared.isEmpty && $0.removed.isEmpty && $0.put.isEmpty }
    }
}

// MARK: - Listening

extension TreeDesk {
    func enter(_ observer: any TreeObserver) -> Int {
        self.nextObserver += 1
        self.observers[self.nextObserver] = observer
        return self.nextObserver
    }

    func leave(_ number: Int) { self.observers[number] = nil }

    func listen(_ number: Int, _ path: TreePath, _ query: TreeQuery, tag: Int?) {
        self.listens.add(number, path, query, tag: tag, of: self.tree)
    }

    func unlisten(_ number: Int, _ path: TreePath, _ query: TreeQuery) { self.listens.remove(number, path, query) }

    /// What a query shows of a place, unless it is too much for one answer.
    func found(_ query: TreeQuery?, at path: TreePath, by access: TreeAccess) throws(TreeProblem) -> TreeNode {
        guard self.isOpen else { throw .unavailable }
        guard self.mayRead(path, by: access) else { throw .denied }
        let node = self.tree.at(path)
        guard query?.sortedChildren(in: node) ?? 0 <= TreeLimits.sortedChildren else { throw .tooManyChildren }
        let shown = query?.filter(node) ?? node
        // What is there in all is quickly known.
        guard self.bytes <= TreeLimits.answerBytes || shown.byteCount(at: .root) <= TreeLimits.answerBytes else {
            throw .answerTooBig
        }
        return shown
    }

    func mayRead(_ path: TreePath, by access: TreeAccess) -> Bool {
        access.isAdministrator
            || self.rules.allowsRead(path, by: access.auth, of: self.tree, now: self.milliseconds)
    }

    private func tell(_ write: TreeWrite, _ after: TreeNode, by access: TreeAccess) {
        let before = self.tree
        self.tree = after
        for news in self.listens.news(of: write, from: before, to: after) {
            if !news.whole.isEmpty {
                let message = TreeMessage(news)
                for number in news.whole { self.observers[number]?.hear(message) }
            }
            for view in news.views { self.observers[view.connection]?.hear(news, at: view.place, tag: view.tag) }
        }
        self.onWrite(write, before, after, access)
    }
}

// MARK: - What is left for the end of a connection

extension TreeDesk {
    /// - Parameter items: what is left from now on; none where something is only withdrawn.
    func leave(
        _ items: [LeftWrites.Item], for session: String, by access: TreeAccess, withdrawing target: TreeTarget?,
        _ done: @escaping (TreeProblem?) -> Void
    ) {
        guard self.isOpen else { return done(.unavailable) }
        var commit = CommitTree(by: self.owner)
        for target in target.map({ [$0] }) ?? items.map(\.target) { commit.withdrawn.append((session, target.text)) }
        commit.left = items.map { item in
            LeftWrite(
                session: session, path: item.target.text, number: item.number, value: item.value, auth: access.json)
        }
        let number = self.append(
            isSettled: false, nil, failed: { done(.unavailable) }, { done(nil) })
        self.send(commit, number)
    }

    func nextLeftNumber() -> Int64 {
        self.leftNumber = max(self.leftNumber + 1, self.now.milliseconds << 8)
        return self.leftNumber
    }

    /// Whether somebody may leave this; asked again when it is written.
    func mayLeave(_ target: TreeTarget, _ value: [UInt8], by access: TreeAccess) throws(TreeProblem) {
        let now = self.milliseconds
        let head = self.head
        let write = try Self.made(head, now) { tree, now throws(TreeError) in
            try Self.write(target, value, over: tree, now)
        }
        guard
            access.isAdministrator
                || self.rules.allowsWrite(write, by: access.auth, from: head, to: write.applied(to: head), now: now)
        else { throw .denied }
    }

    static func write(
        _ target: TreeTarget, _ value: [UInt8], over tree: TreeNode, _ now: Double
    ) throws(TreeError) -> TreeWrite {
        let old = target.isPriority ? TreeNode.nothing : tree.at(target.path)
        return TreeWrite(target, try TreeParser.parse(value.span, over: old, depth: target.path.count, now: now))
    }

    /// A session ended: what it left is written, all of it at once.
    func finish(_ session: String, _ items: [(item: LeftWrites.Item, access: TreeAccess)]) {
        guard self.isOpen, !items.isEmpty else { return }
        var commit = CommitTree(by: self.owner)
        commit.endedSessions = [session]
        let now = self.milliseconds
        var written: [(TreeWrite, TreeNode, TreeAccess)] = []
        for (item, access) in items.sorted(by: { $0.item.number < $1.item.number }) {
            guard
                let write = try? Self.made(
                    self.head, now,
                    { tree, now throws(TreeError) in
                        try Self.write(item.target, item.value, over: tree, now)
                    })
            else { continue }
            let after = write.applied(to: self.head)
            guard
                access.isAdministrator
                    || self.rules.allowsWrite(write, by: access.auth, from: self.head, to: after, now: now)
            else { continue }
            let change = TreeRowChanges(from: self.head, to: after, by: write)
            guard (try? self.claim(write, after, change)) != nil else { continue }
            commit.changes.append(change)
            self.head = after
            written.append((write, after, access))
        }
        let number = self.append(isSettled: false, nil, failed: {}) { [weak self] in
            for (write, after, access) in written { self?.tell(write, after, by: access) }
        }
        self.send(commit, number)
    }
}

extension LogName {
    static let treeOpened = LogName("tree.opened")
    static let treeRowNotRead = LogName("tree.row_not_read")
    static let treeNotLoaded = LogName("tree.not_loaded")
    static let treeNotWritten = LogName("tree.not_written")
}
