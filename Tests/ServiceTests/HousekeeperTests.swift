import Journal
import System
import Keeping
import SQLiteStore
import TestSupport
import Testing
import Vocabulary

@testable import Service

@Suite("The housekeeper")
struct HousekeeperTests {
    @Test("sweeps at once, and then every hour")
    func hourly() {
        let scheduler = ManualScheduler()
        let sweeps = Locked(0)
        let keeper = Housekeeper(on: scheduler) { sweeps.withLock { $0 += 1 } }
        #expect(sweeps.withLock { $0 } == 1)
        scheduler.advance(by: .seconds(3599))
        #expect(sweeps.withLock { $0 } == 1)
        scheduler.advance(by: .seconds(2 * 3600 + 1))
        #expect(sweeps.withLock { $0 } == 4)
        withExtendedLifetime(keeper) {}
    }

    @Test("The housekeeper stops sweeping when it is let go")
    func end() {
        let scheduler = ManualScheduler()
        let sweeps = Locked(0)
        _ = Housekeeper(on: scheduler) { sweeps.withLock { $0 += 1 } }
        scheduler.advance(by: .seconds(7200))
        #expect(sweeps.withLock { $0 } == 1)
        #expect(scheduler.timerCount == 0)
    }

    @Test("of a service throws out the calls that are older than the history is to be", .timeLimit(.minutes(1)))
    func calls() throws {
        let folder = try TemporaryFolder()
        try folder.folder("data")
        var configuration = ServiceConfiguration()
        configuration.listen = [SocketAddress(.loopback, port: 0)]
        configuration.admin = SocketAddress(.loopback, port: 0)
        configuration.data = DataDirectory("\(folder.path)/data")
        configuration.loops = 1
        configuration.stun = .off
        configuration.callHistory = .seconds(86_400)
        configuration.secret = "a secret of this test, beside a database that is made before it"
        let path = configuration.data.path(of: "parley.db")
        let (old, young) = (try Self.call(daysAgo: 2), try Self.call(daysAgo: 0))
        try Self.withStore(path) { store in for call in [old, young] { store.send(RecordCall(call)) { _ in } } }
        let service = try ParleyService(configuration, journal: .silent)
        _ = try service.start()
        service.stop()
        service.waitUntilEnded()
        let kept = Locked<[StoredCall]>([])
        try Self.withStore(path) { store in
            store.send(ListCalls(of: old.caller, before: WallTime(milliseconds: .max), limit: 10)) { answer in
                kept.withLock { $0 = (try? answer.get()) ?? [] }
            }
        }
        #expect(kept.withLock { $0 } == [young])
    }

    private static func withStore(_ path: String, _ body: (SQLiteStore) -> Void) throws {
        let store = try SQLiteStore(path: path)
        body(store)
        store.close()
    }

    private static func call(daysAgo days: Int64) throws -> StoredCall {
        var random = SystemRandomNumberGenerator()
        let moment = SystemClock.now() + .seconds(-86_400 * days)
        return StoredCall(
            id: CallID(using: &random), caller: try #require(UserID("alice")), callee: UserID("bob"), kind: "audio",
            started: moment, answered: nil, ended: moment, outcome: "declined")
    }
}
