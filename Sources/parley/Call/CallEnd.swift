import Arguments
import Vocabulary

/// How a call ended, as scripts see it.
enum CallEnd: Hashable, Sendable {
    case completed
    case declined
    case busy
    case noAnswer
    case offline
    /// Neither side could reach the other.
    case noPath
    /// Nothing was to be heard although that was expected.
    case silent
    /// The other side went away without a word.
    case lost
    /// We thought better of it before anybody answered.
    case cancelled
    /// Another word of the server's.
    case other(String)

    init(outcome: String) {
        switch outcome {
        case "completed", "answeredElsewhere", "movedElsewhere": self = .completed
        case "declined": self = .declined
        case "busy": self = .busy
        case "noAnswer": self = .noAnswer
        case "offline": self = .offline
        case "lost": self = .lost
        case "cancelled": self = .cancelled
        default: self = .other(PlainText.line(outcome))
        }
    }

    var name: String {
        switch self {
        case .completed: "completed"
        case .declined: "declined"
        case .busy: "busy"
        case .noAnswer: "noAnswer"
        case .offline: "offline"
        case .noPath: "noPath"
        case .silent: "silent"
        case .lost: "lost"
        case .cancelled: "cancelled"
        case .other(let outcome): outcome
        }
    }

    /// For people.
    func sentence(about callee: String?) -> String {
        let name = callee ?? "The other side"
        switch self {
        case .completed: return "The call has ended."
        case .declined: return "\(name) declined the call."
        case .busy: return "\(name) is in another call."
        case .noAnswer: return "\(name) did not answer."
        case .offline: return "\(name) is not online."
        case .noPath: return "\(name) answered, but no connection could be made."
        case .silent: return "The call has ended; only silence was heard."
        case .lost: return "The connection to \(callee ?? "the other side") was lost."
        case .cancelled: return "The call was cancelled before an answer."
        case .other("serverRestarted"): return "The server was restarted, and the call ended."
        case .other(let outcome): return "The call ended: \(outcome)."
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .completed: .success
        case .declined: ExitCode(rawValue: 10)
        case .busy: ExitCode(rawValue: 11)
        case .noAnswer: ExitCode(rawValue: 12)
        case .offline: ExitCode(rawValue: 13)
        case .noPath: ExitCode(rawValue: 14)
        case .silent: ExitCode(rawValue: 15)
        case .lost: ExitCode(rawValue: 16)
        case .cancelled, .other: .failure
        }
    }

    static let exitCodes: [CommandConfiguration.DocumentedExit] = [
        .init(.success, "The call was answered, and sound was heard where --expect-audio asks for it."),
        .init(.failure, "The server refused, the call was interrupted before an answer, or it ended in another way."),
        .init(.usage, "The command line is wrong."),
        .init(.noInput, "A file cannot be read."),
        .init(.unavailable, "No server answers."),
        .init(.cannotCreate, "A recording cannot be written."),
        .init(CallEnd.declined.exitCode, "Declined."), .init(CallEnd.busy.exitCode, "Busy."),
        .init(CallEnd.noAnswer.exitCode, "No answer."),
        .init(CallEnd.offline.exitCode, "Nobody of that name is online."),
        .init(CallEnd.noPath.exitCode, "Answered, but no connection could be made."),
        .init(CallEnd.silent.exitCode, "Only silence was heard, with --expect-audio."),
        .init(CallEnd.lost.exitCode, "The connection to the other side was lost."),
    ]
}
