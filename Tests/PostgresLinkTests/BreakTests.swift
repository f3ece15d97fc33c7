import PostgresLink
import Reactor
import TestSupport
import Testing

@Suite("A connection to PostgreSQL under strain")
struct BreakTests {
    @Test(
        "X03.pipeline Ten thousand statements in one pipeline, with large values both ways, do not lock each other out")
    func carriesLongPipelines() async throws {
        try await withConnection { session in
            let sum: Int = await session.ask { connection, _, done in
                let sum = Box(0)
                let bytes = [UInt8](repeating: 7, count: 4000)
                for _ in 0..<10_000 {
                    connection.send("SELECT $1::bytea", [.bytes(bytes)]) { result in
                        if case .success(let rows) = result { sum.value += rows.bytes(0, 0)?.count ?? 0 }
                    }
                }
                connection.sync { _ in done(sum.value) }
            }
            #expect(sum == 40_000_000)
        }
    }

    @Test("X03.killed When the server dies everybody who waits is told once, and then the owner")
    func tellsWhoWaits() async throws {
        let server = try PostgresServer()
        try await withConnection(server.url()) { session in
            let told: [String] = await session.ask { connection, reactor, done in
                let log = Box<[String]>([])
                connection.onBroken = { error in
                    log.value.append("owner \(error.reason)")
                    reactor.schedule(after: .zero) { done(log.value) }
                }
                connection.send("SELECT 1") { result in
                    log.value.append((try? result.get()) == nil ? "no first" : "first")
                }
                connection.sync { _ in
                    log.value.append("sync")
                    _ = try? server.signal(.kill)
                }
                for name in ["second", "third"] {
                    connection.send("SELECT pg_sleep(3)") { result in
                        if case .failure(let error) = result { log.value.append("\(name) \(error.reason)") }
                    }
                }
                connection.sync { log.value.append("sync \($0.map { "\($0.reason)" } ?? "fine")") }
            }
            #expect(told == ["first", "sync", "second broken", "third broken", "sync broken", "owner broken"])
        }
    }

    @Test("X03.frozen A server that owes an answer and says nothing counts as gone; one that wakes up in time does not")
    func noticesFrozen() async throws {
        let server = try PostgresServer()
        var options = PostgresOptions()
        options.answerTimeout = .milliseconds(300)
        try await withConnection(server.url(), options) { session in
            try server.signal(.stop)
            let error = await #expect(throws: PostgresError.self) { try await session.send("SELECT 1") }
            #expect(error?.reason == .broken)
            try server.signal(.goOn)
        }
        options.answerTimeout = .seconds(30)
        try await withConnection(server.url(), options) { session in
            try server.signal(.stop)
            let one: Int64? = await session.ask { connection, reactor, done in
                connection.send("SELECT 1") { result in done((try? result.get()).flatMap { $0.integer(0, 0) }) }
                connection.sync { _ in }
                reactor.schedule(after: .milliseconds(500)) { _ = try? server.signal(.goOn) }
            }
            #expect(one == 1)
        }
    }

    @Test("X03.closed Whoever waits when the connection is closed is told, and not within the call")
    func closesWhileBusy() async throws {
        try await withConnection { session in
            let told: [String] = await session.ask { connection, reactor, done in
                let log = Box<[String]>([])
                connection.onBroken = { _ in log.value.append("owner") }
                connection.send("SELECT pg_sleep(3)") { _ in log.value.append("statement") }
                connection.sync { log.value.append("sync \($0.map { "\($0.reason)" } ?? "fine")") }
                connection.run(PostgresScript("SELECT 1")) { _ in log.value.append("script") }
                connection.close()
                log.value.append("closed")
                connection.send("SELECT 1") { _ in
                    log.value.append("late")
                    done(log.value)
                }
            }
            #expect(told == ["closed", "statement", "sync broken", "script", "late"])
        }
    }

    @Test("X03.notify What others notify arrives whole and in order, also while nothing is asked")
    func hearsNotifications() async throws {
        let url = try PostgresServer.shared().freshDatabase()
        let long = String(repeating: "漢", count: 2600)
        try await withConnection(url) { listener in
            let (events, log) = AsyncStream.makeStream(of: String.self)
            try await listener.send("LISTEN news")
            _ = await listener.ask { (connection, _, done: @escaping (Bool) -> Void) in
                connection.onNotify = { notification in log.yield("\(notification.channel) \(notification.payload)") }
                done(true)
            }
            try await withConnection(url) { speaker in
                var heard = events.makeAsyncIterator()
                for payload in ["one", "", long] {
                    try await speaker.send("SELECT pg_notify('news', $1)", [.text(payload)])
                    #expect(await heard.next() == "news \(payload)")
                }
            }
        }
    }
}
