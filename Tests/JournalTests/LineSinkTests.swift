import System
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@testable import Journal

@Suite("A line sink")
struct LineSinkTests {
    @Test("keeps the lines of many threads apart")
    func threads() async throws {
        let pipe = try Pipe()
        let journal = Journal(sink: LineSink(LogFormat(.json), to: FileDescriptor(pipe.writer)))
        let reader = Task.detached { pipe.readToEnd() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for count in 0..<250 { journal.info(.piped, "Piped", [.count: .integer(count)]) } }
            }
        }
        pipe.closeWriter()
        let lines = await reader.value.split(separator: "\n")
        #expect(lines.count == 1000)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"time\":\"") && $0.hasSuffix("}") })
    }

    @Test("gives a line up when nobody can take it")
    func closed() {
        let journal = Journal(sink: LineSink(LogFormat(.json), to: FileDescriptor(-1)))
        let time = ContinuousClock().measure { for _ in 0..<1000 { journal.info(.piped, "Piped") } }
        #expect(time < .seconds(10))
    }

    @Test("does not wait for ever for a reader that has stopped", arguments: [0, O_NONBLOCK])
    func stuck(mode: Int32) throws {
        let pipe = try Pipe()
        try pipe.fill(thenOpenFor: mode)
        let journal = Journal(sink: LineSink(LogFormat(.json), to: FileDescriptor(pipe.writer)))
        let time = ContinuousClock().measure { for _ in 0..<1000 { journal.info(.piped, "Piped") } }
        // The reader had its moment once, not for every line.
        #expect(time < .seconds(10))
        pipe.closeWriter()
        #expect(!pipe.readToEnd().contains("{"))
    }

    @Test("says how many lines were lost once its reader reads again, and begins with a fresh line")
    func lost() throws {
        let pipe = try Pipe()
        let sink = LineSink(LogFormat(.json), to: FileDescriptor(pipe.writer))
        let journal = Journal(sink: sink)
        // More than a pipe holds: it is cut in the middle.
        let field = LogEvent.Field(key: .reason, value: .plain(String(repeating: "y", count: 1000)))
        let fields = [LogEvent.Field](repeating: field, count: 200)
        sink.record(LogEvent(time: .now(), level: .info, name: .piped, message: "Piped", fields: fields))
        for _ in 0..<2 { journal.info(.piped, "Piped") }
        pipe.drain()
        for count in 1...2 { journal.info(.piped, "Piped", [.count: .integer(count)]) }
        pipe.closeWriter()
        let lines = pipe.readToEnd().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first?.isEmpty == true && lines.count == 5)
        #expect(lines.dropFirst().first?.contains(#""event":"log.lost""#) == true)
        #expect(lines.dropFirst().first?.hasSuffix(#""count":3}"#) == true)
        #expect(lines.dropFirst(2).prefix(2).allSatisfy { $0.contains(#""event":"test.piped""#) })
    }
}

extension LogName {
    fileprivate static let piped = LogName("test.piped")
}

/// A pipe whose ends the test closes itself.
private struct Pipe: Sendable {
    let reader: Int32
    let writer: Int32

    init() throws {
        let ends = try PipeEnds()
        (self.reader, self.writer) = (ends.reader, ends.writer)
    }

    /// Writes until nothing fits any more.
    func fill(thenOpenFor mode: Int32) throws {
        try #require(fcntl(self.writer, F_SETFL, O_NONBLOCK) == 0)
        let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
        while write(self.writer, filler, filler.count) > 0 {}
        try #require(fcntl(self.writer, F_SETFL, mode) == 0)
    }

    /// Takes what is in it.
    func drain() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var request = pollfd(fd: self.reader, events: Int16(POLLIN), revents: 0)
        while poll(&request, 1, 0) == 1, read(self.reader, &buffer, buffer.count) > 0 {}
    }

    func closeWriter() { close(self.writer) }

    func readToEnd() -> String {
        defer { close(self.reader) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(self.reader, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(contentsOf: buffer.prefix(count))
        }
    }
}
