import Arguments
import System
import Voice

/// Runs one job for each of many files, shows how they come along and says how they ended.
struct VoiceRun {
    /// As complaints begin.
    let command: String

    /// `job` does the work for one file and returns the line to be printed, or nil for none.
    func run(
        _ names: [String], threads: Int,
        _ job: @escaping @Sendable (Int, @escaping ProgressListener) throws -> VoiceResult
    ) -> ExitCode {
        let bar = VoiceProgressBar(inputs: names)
        let failures = Locked<[VoiceFailure.Kind]>([])
        ThreadPool.run(names.count, threads: threads) { index in
            do {
                let result = try job(index) { bar.moved(by: $0) }
                bar.finished(line: result.line, warning: self.warning(names[index], result.damage))
            } catch {
                let failure = VoiceFailure(error)
                failures.withLock { $0.append(failure.kind) }
                let name = failure.description.contains(names[index]) ? "" : "\(names[index]): "
                bar.finished(line: nil, warning: "\(self.command): \(name)\(failure.description)")
            }
        }
        bar.end()
        return Self.exitCode(failures.withLock { $0 })
    }

    private static func exitCode(_ failures: [VoiceFailure.Kind]) -> ExitCode {
        guard let first = failures.first else { return .success }
        return failures.allSatisfy { $0 == first } ? ExitCode(rawValue: first.rawValue) : .failure
    }

    private func warning(_ name: String, _ damage: [Int]) -> String? {
        guard let first = damage.first else { return nil }
        let more = damage.count > 1 ? ", and at \(damage.count - 1) more places" : ""
        return "\(self.command): \(name): damaged at byte \(first)\(more); the rest was read"
    }
}

/// What came of one file.
struct VoiceResult {
    /// To be printed; nil when the result itself goes there.
    var line: String?
    var damage: [Int] = []
}
