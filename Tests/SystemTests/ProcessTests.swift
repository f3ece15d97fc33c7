@testable import System
import TestSupport
import Testing

@Suite("A thread pool")
struct ThreadPoolTests {
    @Test("does every job once, with any number of threads", arguments: [1, 2, 7, 300])
    func everyJobOnce(threads: Int) {
        let done = Locked([Int](repeating: 0, count: 200))
        ThreadPool.run(200, threads: threads) { index in done.withLock { $0[index] += 1 } }
        #expect(done.withLock { $0 } == Array(repeating: 1, count: 200))
        ThreadPool.run(0, threads: threads) { _ in Issue.record("there was nothing to do") }
    }
}

@Suite("A child process")
struct ChildProcessTests {
    private static func output(of child: inout ChildProcess) throws -> String {
        var (bytes, piece): ([UInt8], [UInt8]) = ([], [])
        repeat {
            try child.read(into: &piece, within: 10_000)
            bytes += piece
        } while !piece.isEmpty
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("gets its arguments, its variables and its input")
    func openings() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a", "input")
        var child = try ChildProcess(
            script: "echo \"$1 $WORD\"; cat; echo hidden >&2", ["one two"], environment: ["WORD=three"],
            [0: .file(path), 2: .nothing])
        #expect(try Self.output(of: &child) == "one two three\ninput")
        #expect(child.wait() == 0)
    }

    @Test("tells that it ended badly")
    func failure() throws {
        var child = try ChildProcess(script: "exit 3", [], [0: .nothing])
        #expect(try Self.output(of: &child).isEmpty)
        #expect(child.wait() != 0)
    }

    @Test("is ended when it stays silent for too long")
    func silence() throws {
        var child = try ChildProcess(script: "exec sleep 60", [], [0: .nothing])
        var piece: [UInt8] = []
        #expect(throws: ChildProcess.Failure.stalled) { try child.read(into: &piece, within: 1) }
        #expect(child.wait() != 0)
    }
}

@Suite("The current process")
struct CurrentProcessTests {
    @Test("finds programs by name, and its own variables")
    func environment() {
        #expect(ProcessEnvironment.program("sh")?.hasSuffix("/sh") == true)
        #expect(ProcessEnvironment.program("no-such-program") == nil)
        #expect(ProcessEnvironment.variables["PATH"] != nil)
    }

    @Test("tells clocks that agree with those of the standard library")
    func clocks() {
        let clock = ContinuousClock()
        let start = (clock.now, KernelClock.monotonic)
        for _ in 0..<1000 { _ = KernelClock.sinceBoot }
        let passed = KernelClock.monotonic - start.1
        #expect(passed >= 0 && .nanoseconds(passed) <= start.0.duration(to: clock.now) + .milliseconds(1))
        #expect(KernelClock.realTime > 1_700_000_000_000_000_000)
        #expect(KernelClock.processorTime > 0)
    }

    #if os(Linux)
    @Test("is read from what the kernel writes, however a program calls itself")
    func parsing() {
        let stat = "42 (a) b (c)) S 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9 0 123456 1000 50 18446744073709551615"
        #expect(CurrentProcess.startTicks(stat) == 123_456)
        #expect(CurrentProcess.startTicks("42 (a) S 1") == nil)
        #expect(CurrentProcess.startTicks("") == nil)
        #expect(CurrentProcess.bootTime("cpu 1 2\nbtime 1795158181\nprocesses 1\n") == 1_795_158_181)
        #expect(CurrentProcess.bootTime("cpu 1 2\n") == nil)
        #expect(CurrentProcess.residentPages("100 25 3 1 0 1 0") == 25)
        #expect(CurrentProcess.residentPages("100") == nil)
    }
    #endif
}
