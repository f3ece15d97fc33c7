import Journal
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("A line sink")
struct LineSinkTests {
    @Test("keeps the lines of many threads apart")
    func threads() async throws {
        let pipe = try Pipe()
        let journal = Journal(sink: LineSink(LogFormat(.json), to: pipe.writer))
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
        Journal(sink: LineSink(LogFormat(.json), to: -1)).info(.piped, "Piped")
    }

    @Test("does not wait for ever for a reader that has stopped")
    func stuck() throws {
        let pipe = try Pipe()
        #expect(fcntl(pipe.writer, F_SETFL, O_NONBLOCK) == 0)
        let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
        while write(pipe.writer, filler, filler.count) > 0 {}
        Journal(sink: LineSink(LogFormat(.json), to: pipe.writer)).info(.piped, "Piped")
        pipe.closeWriter()
        #expect(!pipe.readToEnd().contains("{"))
    }

    @Test("knows that a pipe is no terminal")
    func terminal() throws {
        let pipe = try Pipe()
        #expect(!LineSink.isTerminal(pipe.writer))
        pipe.closeWriter()
        _ = pipe.readToEnd()
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
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (self.reader, self.writer) = (ends[0], ends[1])
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
