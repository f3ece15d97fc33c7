import Keeping
import PostgresLink
import System
import TestSupport
import Testing

@testable import PostgresStore

/// What an acknowledgement is worth, by what a database is set to.
@Suite("The promise of a PostgreSQL")
struct PromiseTests {
    @Test("X13 follows from its settings, with a warning where an acknowledged message could be lost")
    func settings() {
        var facts = DurabilityFacts()
        #expect(facts.promise(asked: .full).text.contains("on the disk of the database's machine"))
        #expect(facts.promise(asked: .full).risks == [])
        facts.attached = 1
        #expect(Self.risk(facts).contains("synchronous_standby_names is empty"))
        facts.synchronousStandbys = "one"
        #expect(facts.promise(asked: .full).text.contains("on the disks of the database's machine and of a standby's"))
        #expect(facts.promise(asked: .full).risks == [])
        facts.synchronousCommit = .remoteWrite
        #expect(facts.promise(asked: .full).text.contains("in the memory of a standby's"))
        facts.attached = 0
        #expect(Self.risk(facts).contains("no standby is attached"))
        facts.synchronousCommit = .local
        #expect(Self.risk(facts).contains("synchronous_commit is local"))
        facts.synchronousCommit = .off
        #expect(Self.risk(facts).contains("synchronous_commit is off"))
        #expect(facts.promise(asked: .normal).risks.first?.contains("--durability normal") == true)
    }

    @Test("X13.memory is the weakest where nothing is flushed, or half a page may be left")
    func memory() {
        var facts = DurabilityFacts(writesFullPages: false)
        #expect(Self.risk(facts).contains("full_page_writes is off"))
        facts.flushes = false
        #expect(Self.risk(facts).contains("fsync is off"))
        #expect(facts.promise(asked: .full).text.contains("in the memory of the database's machine"))
    }

    @Test(
        "X13.asked is what a real one is set to",
        arguments: [
            ([], "fsync is off"), (["fsync=on"], ""),
            (["fsync=on", "full_page_writes=off"], "full_page_writes is off"),
            (["fsync=on", "synchronous_commit=off"], "synchronous_commit is off"),
            (["fsync=on", "synchronous_commit=local", "synchronous_standby_names=one"], "synchronous_commit is local"),
        ])
    func real(_ settings: [String], _ risk: String) throws {
        let promise = try Self.first(PostgresServer(settings))
        #expect(promise.risks.isEmpty == risk.isEmpty)
        #expect(promise.risks.first?.contains(risk) ?? risk.isEmpty, "\(promise)")
    }

    @Test("X13.normal is less where less was asked for")
    func normal() throws {
        let promise = try Self.first(PostgresServer(["fsync=on"]), .normal)
        #expect(promise.text.contains("in the memory of the database"))
        #expect(promise.risks.first?.contains("--durability normal") == true)
    }

    private static func risk(_ facts: DurabilityFacts) -> String {
        facts.promise(asked: .full).risks.first ?? ""
    }

    /// What a store over this server has been told by the time it is open.
    private static func first(
        _ server: PostgresServer, _ durability: StoreDurability = .full
    ) throws -> StorePromise {
        let heard = Locked<StorePromise?>(nil)
        let store = try PostgresStore(PostgresAddress(server.url()), durability: durability) { event in
            guard case .promise(let promise) = event else { return }
            heard.withLock { $0 = $0 ?? promise }
        }
        store.close()
        let promise = heard.withLock { $0 }
        return try #require(promise)
    }
}
