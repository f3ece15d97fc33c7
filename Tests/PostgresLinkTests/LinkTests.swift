import PostgresLink
import Reactor
import TestSupport
import Testing
import Vocabulary

@Suite("A link to PostgreSQL")
struct LinkTests {
    @Test("X04.backoff The waits double from a tenth of a second to five, each from its half to all of it")
    func doublesWaits() {
        var machine = LinkMachine()
        #expect(machine.start() == .connect)
        var waits: [LinkMachine.Order?] = []
        for _ in 0..<8 {
            waits.append(machine.failed(jitter: 1))
            #expect(machine.timeCame() == .connect)
        }
        let milliseconds = [100, 200, 400, 800, 1600, 3200, 5000, 5000]
        #expect(waits == milliseconds.map { .wait(.milliseconds($0)) })
        #expect(machine.failed(jitter: 0) == .wait(.milliseconds(2500)))
    }

    @Test("X04.backoff The waits begin anew only after the link was up for a while")
    func beginsAnew() {
        var machine = LinkMachine()
        _ = machine.start()
        let begin = Instant(milliseconds: 0)
        machine.connected(at: begin)
        #expect(machine.broken(at: begin + .seconds(1), jitter: 1) == .wait(.milliseconds(100)))
        _ = machine.timeCame()
        machine.connected(at: begin + .seconds(2))
        #expect(machine.broken(at: begin + .seconds(3), jitter: 1) == .wait(.milliseconds(200)))
        _ = machine.timeCame()
        machine.connected(at: begin + .seconds(4))
        #expect(machine.broken(at: begin + .seconds(10), jitter: 1) == .wait(.milliseconds(100)))
    }

    @Test("X04.backoff A closed link does nothing, whatever comes late")
    func staysClosed() {
        var machine = LinkMachine()
        _ = machine.start()
        #expect(machine.start() == nil)
        machine.close()
        machine.connected(at: Instant(milliseconds: 0))
        #expect(machine.failed(jitter: 0) == nil)
        #expect(machine.timeCame() == nil)
        #expect(machine.broken(at: Instant(milliseconds: 0), jitter: 0) == nil)
        #expect(machine.state == .closed)
    }

    @Test("X04.back A link comes back when its server does, and says what it heard in between")
    func comesBack() async throws {
        let server = try PostgresServer()
        let loop = try EventLoop()
        let link = Box<PostgresLink?>(nil)
        let (events, log) = AsyncStream.makeStream(of: String.self)
        let address = try PostgresAddress(server.url())
        loop.execute { reactor in
            let made = PostgresLink(address, PostgresOptions(), on: reactor)
            made.onUp = { connection in
                connection.send("SELECT 1") { result in log.yield((try? result.get()) == nil ? "no answer" : "up") }
                connection.sync { _ in }
            }
            made.onDown = { error, _ in log.yield("\(error.reason)") }
            made.start()
            link.value = made
        }
        var heard = events.makeAsyncIterator()
        #expect(await heard.next() == "up")
        try server.signal(.kill)
        #expect(await heard.next() == "broken")
        #expect(await heard.next() == "unreachable")
        try server.start()
        var last = await heard.next()
        // While it repairs itself it says that it is starting.
        while last == "unreachable" || last == "starting" { last = await heard.next() }
        #expect(last == "up")
        loop.execute { reactor in
            link.value?.close()
            link.value = nil
            reactor.shutDown()
        }
        loop.join()
    }
}
