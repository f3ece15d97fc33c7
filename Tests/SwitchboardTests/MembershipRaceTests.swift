import Clustering
import Conversing
import Keeping
import Operations
import Reactor
import SQLiteStore
import System
import TestSupport
import Testing
import Vocabulary

@testable import Switchboard

/// A store whose lists of memberships wait until they are let go: before they are read, or once they are.
private final class HeldStore: Store {
    enum Moment { case beforeReading, afterReading }

    private struct State {
        var moment: Moment?
        var held: [@Sendable () -> Void] = []
        var onHeld: (@Sendable () -> Void)?
    }

    private let inner: SQLiteStore
    private let state = Locked(State())

    init(_ inner: SQLiteStore) { self.inner = inner }

    func send<Request: StoreRequest>(
        _ request: Request, _ answer: @escaping @Sendable (Result<Request.Answer, StoreError>) -> Void
    ) {
        guard request is MembershipHeads else { return self.inner.send(request, answer) }
        self.hold(at: .beforeReading) {
            self.inner.send(request) { result in self.hold(at: .afterReading) { answer(result) } }
        }
    }

    private func hold(at moment: Moment, _ goOn: @escaping @Sendable () -> Void) {
        let (isHeld, tell) = self.state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard state.moment == moment else { return (false, nil) }
            state.held.append(goOn)
            return (true, state.onHeld.take())
        }
        if isHeld { tell?() } else { goOn() }
    }

    /// From now on; calls back when one is there.
    func hold(_ moment: Moment, _ onHeld: @escaping @Sendable () -> Void) {
        self.state.withLock { ($0.moment, $0.onHeld) = (moment, onHeld) }
    }

    func letGo() {
        let held = self.state.withLock { state in
            state.moment = nil
            defer { state.held = [] }
            return state.held
        }
        for answer in held { answer() }
    }

    func close() { self.inner.close() }
}

/// Another node is there, and nothing of what it says comes.
private final class SilentPost: Post {
    var onNews: ([NodeNews]) -> Void = { _ in }
    var onGap: () -> Void = {}
    var onDuty: () -> Void = {}
    var onDutyLost: () -> Void = {}
    let isOnDuty = true
    var hasPeers: Bool { true }

    func publish(_ news: NodeNews) {}
}

private final class Ear: ChatListener {
    let user: UserID
    private(set) var heard: [UInt64] = []
    var onHeard: (UInt64) -> Void = { _ in }

    init(_ user: UserID) { self.user = user }

    func hear(_ news: ChatNews) {
        guard let number = news.outcome?.entry.number else { return }
        self.heard.append(number)
        self.onHeard(number)
    }
}

/// Two nodes on one store, of which the first hears nothing of the second one, and two devices of one user on the first.
private final class Stage: @unchecked Sendable {
    // Unchecked because all that changes is touched on the loop only.
    private struct Nodes {
        let first: ChatService
        let second: ChatService
    }

    let store: HeldStore
    private let group: EventLoopGroup
    private let post = SilentPost()
    private var nodes: Nodes?
    private var ears: [Ear] = []
    private let room: ConversationID
    private let user: UserID
    private let other: UserID

    init(path: String) throws {
        var random = SeededRandom(seed: 1)
        self.room = ConversationID(RandomToken(using: &random))
        self.user = try #require(UserID("alice"))
        self.other = try #require(UserID("bob"))
        self.store = HeldStore(try SQLiteStore(path: path))
        self.group = try EventLoopGroup(count: 1)
    }

    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (Nodes, @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        await withCheckedContinuation { continuation in
            self.group.loops[0].execute { reactor in
                body(self.nodes(on: reactor)) { continuation.resume(returning: $0) }
            }
        }
    }

    private func nodes(on reactor: Reactor) -> Nodes {
        if let nodes = self.nodes { return nodes }
        let nodes = Nodes(
            first: ChatService(self.store, on: reactor) { ChatStorm.now },
            second: ChatService(self.store, on: reactor) { ChatStorm.now })
        nodes.first.join(self.post)
        self.nodes = nodes
        return nodes
    }

    /// - Returns: how far the new device was told.
    func listen(on device: DeviceID) async -> [UInt64]? {
        await self.onLoop { nodes, done in
            let ear = Ear(self.user)
            self.ears.append(ear)
            nodes.first.listen(ear, SyncRequest(self.user, on: device), isAlive: { true }) { result in
                done((try? result.get())?.heads.map(\.number))
            }
        }
    }

    func create() async -> Bool {
        await self.onLoop { nodes, done in
            let request = CreationRequest(self.room, .group, by: self.other, with: [self.user], at: ChatStorm.now)
            nodes.second.create(request, isByServer: true) { done((try? $0.get()) != nil) }
        }
    }

    func write() async -> UInt64? {
        await self.change(.post(Draft(.text, MessageBody(proven: Array(#"{"text":"a"}"#.utf8)))))
    }

    func remove() async -> UInt64? { await self.change(.remove(self.user)) }

    private func change(_ change: ConversationChange) async -> UInt64? {
        await self.onLoop { nodes, done in
            let request = ChangeRequest(.id(self.room), change, by: self.other, at: ChatStorm.now)
            nodes.second.change(request, isByServer: true) { done((try? $0.get())?.entry.number) }
        }
    }

    /// The first node asks for what the user is in; comes back when the store holds the question, or the answer.
    func askForMemberships(holding moment: HeldStore.Moment) async {
        await self.onLoop { nodes, done in
            self.store.hold(moment) { done(()) }
            nodes.first.missedNews()
        }
    }

    /// The first node looks for what it missed, as it does every ten seconds anyway: some may have heard it before.
    ///
    /// - Returns: what each device has heard once all have heard this number.
    func lookUntilAllHear(_ number: UInt64) async -> [[UInt64]] {
        await self.onLoop { nodes, done in
            let deaf = self.ears.filter { !$0.heard.contains(number) }
            guard !deaf.isEmpty else { return done(self.ears.map(\.heard)) }
            var left = deaf.count
            for ear in deaf {
                ear.onHeard = {
                    guard $0 == number else { return }
                    left -= 1
                    if left == 0 { done(self.ears.map(\.heard)) }
                }
            }
            nodes.first.missedNews()
        }
    }

    func close() async {
        await self.onLoop { nodes, done in
            for ear in self.ears { nodes.first.stopListening(ear) }
            (self.nodes, self.ears) = (nil, [])
            done(())
        }
        self.store.close()
        self.group.shutDown()
    }
}

@Suite("What a user is in, asked for twice at once")
struct MembershipRaceTests {
    @Test("Y02 an answer from before a device came takes it out of nothing that it was told")
    func olderAnswer() async throws {
        let folder = try TemporaryFolder()
        for name in ["store.db-wal", "store.db-shm"] { _ = folder.place(name) }
        let stage = try Stage(path: folder.place("store.db"))
        let (phone, laptop) = (try #require(DeviceID("phone")), try #require(DeviceID("laptop")))
        #expect(await stage.listen(on: phone) == [])
        await stage.askForMemberships(holding: .afterReading)
        #expect(await stage.create())
        let told = try #require(await stage.listen(on: laptop)?.first)
        stage.store.letGo()
        let next = try #require(await stage.write())
        let heard = await stage.lookUntilAllHear(next)
        #expect(heard == [Array(1...next), Array((told + 1)...next)])
        await stage.close()
    }

    @Test("Y02 a device hears what was said until it was taken out, and that it was", .timeLimit(.minutes(1)))
    func takenOut() async throws {
        let folder = try TemporaryFolder()
        for name in ["store.db-wal", "store.db-shm"] { _ = folder.place(name) }
        let stage = try Stage(path: folder.place("store.db"))
        #expect(await stage.create())
        let phone = try #require(DeviceID("phone"))
        let told = try #require(await stage.listen(on: phone)?.first)
        await stage.askForMemberships(holding: .beforeReading)
        #expect(await stage.write() == told + 1)
        #expect(await stage.remove() == told + 2)
        stage.store.letGo()
        #expect(await stage.lookUntilAllHear(told + 2) == [[told + 1, told + 2]])
        await stage.close()
    }
}
