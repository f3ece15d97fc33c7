import ICEServers
import Journal
import System
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("The keeper of ice-servers.json")
struct ICEServerKeeperTests {
    private final class Book: LogSink {
        let events = Locked<[LogEvent]>([])
        func record(_ event: LogEvent) { self.events.withLock { $0.append(event) } }
        var names: [String] { self.events.withLock { $0.map(\.name.description) } }
    }

    private func withPath(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/parley-ice-XXXXXX\0".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        let path = "\(folder)/ice-servers.json"
        defer {
            unlink(path)
            rmdir(folder)
        }
        try body(path)
    }

    private func make(_ text: String, at path: String) {
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let bytes = Array(text.utf8)
        #expect(write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }

    @Test("reads at the start, again after every change, and keeps the last good list")
    func follows() throws {
        try self.withPath { path in
            let scheduler = ManualScheduler()
            let book = Book()
            var heard: [Int] = []
            let keeper = try ICEServerKeeper(
                .init(path: path, environment: [:]), scheduler: scheduler, journal: Journal(sink: book)
            ) { heard.append($0.servers.count) }
            #expect(keeper.list.servers.isEmpty)
            self.make(#"{"iceServers":[{"urls":"stun:a"}]}"#, at: path)
            scheduler.advance(by: .milliseconds(4999))
            #expect(heard == [])
            scheduler.advance(by: .milliseconds(1))
            #expect(heard == [1])
            self.make(#"{"iceServers":[{"urls":"stun:a"},{"urls":"turn:b"}]}"#, at: path)
            scheduler.advance(by: .seconds(20))
            #expect(heard == [1] && keeper.list.servers.count == 1)
            self.make(#"{"iceServers":[{"urls":"stun:a"},{"urls":"stun:b"}]}"#, at: path)
            scheduler.advance(by: .seconds(5))
            #expect(heard == [1, 2])
            unlink(path)
            scheduler.advance(by: .seconds(5))
            #expect(heard == [1, 2, 0])
            #expect(book.names == ["changed", "refused", "changed", "changed"].map { "ice_servers.\($0)" })
            keeper.stop()
            #expect(scheduler.timerCount == 0)
        }
    }

    @Test("does not start with a file it cannot understand")
    func strictAtStart() throws {
        try self.withPath { path in
            self.make("{", at: path)
            let error = #expect(throws: ICEServerFileError.self) {
                _ = try ICEServerKeeper.Reading(path: path, environment: [:])
            }
            #expect(error?.problem == .notJSON(offset: 1))
        }
    }

    @Test("does not start without a file that somebody named")
    func requiredAtStart() throws {
        try self.withPath { path in
            _ = try ICEServerKeeper.Reading(path: path, environment: [:])
            let error = #expect(throws: ICEServerFileError.self) {
                _ = try ICEServerKeeper.Reading(path: path, environment: [:], isRequired: true)
            }
            #expect(error?.problem == .unreadable("No such file or directory"))
        }
    }

    @Test("lets go of its timer when it is let go of")
    func ends() throws {
        try self.withPath { path in
            let scheduler = ManualScheduler()
            _ = try ICEServerKeeper(
                .init(path: path, environment: [:]), scheduler: scheduler, journal: .silent, onChange: { _ in })
            scheduler.advance(by: .seconds(60))
            #expect(scheduler.timerCount == 0)
        }
    }
}
