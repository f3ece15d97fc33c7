import Arguments
import Load
import Reactor
import System
import Vocabulary

/// A run, and the line on a terminal that says how far it is.
struct LoadConsole {
    private let plan: LoadPlan
    private let isWatched = FileDescriptor.standardError.isTerminal

    init(_ plan: LoadPlan) { self.plan = plan }

    func run(on loop: EventLoop) throws(CommandFailure) -> LoadReport {
        let (found, done) = (Locked<Result<LoadReport, CommandFailure>?>(nil), Gate())
        loop.execute { reactor in
            self.start(on: reactor) { result in
                found.withLock { $0 = result }
                done.open()
            }
        }
        done.wait()
        if self.isWatched { FileDescriptor.standardError.print("\r\u{1B}[K") }
        guard let result = found.withLock(\.self) else { throw CommandFailure("the run told nothing") }
        return try result.get()
    }

    private func start(on reactor: Reactor, _ done: @escaping (Result<LoadReport, CommandFailure>) -> Void) {
        let run = LoadRun(self.plan, on: reactor)
        let began = KernelClock.processorTime
        let before = CurrentProcess.residentBytes() ?? 0
        var interrupts: [SignalWatch] = []
        do throws(ReactorError) {
            interrupts = try SignalWatch.interrupts(on: reactor) { run.interrupt() }
        } catch {
            return done(.failure(CommandFailure("\(error)", exitCode: .osError)))
        }
        let peak = Peak()
        self.watch(run, peak, on: reactor)
        run.start { tally in
            for interrupt in interrupts { interrupt.close() }
            let used = Duration.nanoseconds(KernelClock.processorTime - began)
            done(.success(LoadReport(plan: self.plan, tally: tally, processorTime: used, memory: peak.bytes - before)))
        }
    }

    /// The most memory that was in use.
    private final class Peak {
        var bytes = 0.0
    }

    private func watch(_ run: LoadRun, _ peak: Peak, on reactor: Reactor) {
        reactor.schedule(after: .milliseconds(500)) {
            guard !run.isOver else { return }
            peak.bytes = max(peak.bytes, CurrentProcess.residentBytes() ?? 0)
            if self.isWatched { FileDescriptor.standardError.print("\r\(LoadReport.line(of: run))\u{1B}[K") }
            self.watch(run, peak, on: reactor)
        }
    }
}
