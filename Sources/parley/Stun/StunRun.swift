import Arguments
import ICEServers
import System
import Pathways
import Reactor

/// One look at the servers, or one after the other.
struct StunRun {
    let targets: [SurveyTarget]
    let settings: Survey.Settings
    let rest: Duration

    /// Calls `show` after every look, and says how it went the last time.
    func look(again: Bool, show: (SurveyReport, _ isRepeated: Bool) throws -> Void) throws -> ExitCode {
        let group = try EventLoopGroup.forCommand()
        defer { group.shutDown() }
        var report = self.look(on: group.loops[0])
        try show(report, false)
        while again {
            self.pause(on: group.loops[0])
            report = self.look(on: group.loops[0])
            try show(report, true)
        }
        return report.exitCode
    }

    private func look(on loop: EventLoop) -> SurveyReport {
        let isWatched = FileDescriptor.standardError.isTerminal
        if isWatched {
            let names = Set(self.targets.map(\.url.host)).count
            FileDescriptor.standardError.print("Asking \(names) server\(names == 1 ? "" : "s") …")
        }
        defer { if isWatched { FileDescriptor.standardError.print("\r\u{1B}[K") } }
        let found = Locked(SurveyReport())
        let done = Gate()
        let (targets, settings) = (self.targets, self.settings)
        loop.execute { reactor in
            let survey = Survey(of: targets, settings: settings, on: reactor) { report in
                found.withLock { $0 = report }
                done.open()
            }
            survey.start()
        }
        done.wait()
        return found.withLock(\.self)
    }

    private func pause(on loop: EventLoop) {
        let done = Gate()
        let rest = self.rest
        loop.execute { reactor in reactor.schedule(after: rest) { done.open() } }
        done.wait()
    }
}

extension SurveyReport {
    /// For the shell: whether every server works, or some, or none.
    var exitCode: ExitCode {
        switch self.urls {
        case (let working, let all) where working == all: .success
        case (0, _): .unavailable
        default: .failure
        }
    }
}
