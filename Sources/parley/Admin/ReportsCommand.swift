import Arguments
import Web

/// `parley reports`: what users report, and what is done about it.
struct ReportsCommand: ParsableCommand {
    enum Action: String, CaseIterable, Sendable, ExpressibleByArgument {
        case list, settle
    }

    enum Settlement: String, CaseIterable, Sendable, ExpressibleByArgument {
        case dismiss, recall, remove, silence, kick, ban
    }

    static let configuration = CommandConfiguration(
        name: "reports",
        abstract: "List and settle reports by users of a running server.",
        discussion: """
            'dismiss' only closes a report. 'recall' takes the reported message back, 'remove' removes its sender \
            from that conversation, and 'silence' lets them only read there. 'kick' signs the reported user out \
            everywhere, and 'ban' also keeps them out for a time.
            """,
        examples: [
            .init("parley reports", "Open reports."),
            .init("parley reports settle 17 --action ban --for 7d --note 'third time'", "Ban the reported user."),
        ],
        exitCodes: [
            .init(.success, "Done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers at the admin address."), .init(.failure, "The server refused."),
        ]
    )

    @Argument(help: "What to do.")
    var action = Action.list

    @Argument(help: "Number of the report; required by settle.")
    var report: Int?

    @Option(name: .customLong("action"), help: "What is done about the report.")
    var settlement: Settlement?

    @Option(
        name: .customLong("for"),
        help: "How long a ban, a silence or a removal lasts; default: a day, a removal for good.")
    var duration: Duration?

    @Option(help: "A note that is kept with the report.")
    var note: String?

    @Flag(help: "Also list settled reports.")
    var all = false

    @Option(help: "List only reports after this number.")
    var after = 0

    @OptionGroup var server: AdminOptions

    func validate() throws(ValidationError) {
        if self.after < 0 { throw ValidationError("--after must not be negative") }
        guard self.action == .settle else { return }
        guard let report = self.report, report > 0 else {
            throw ValidationError("settle: name a report by its number, as 'parley reports' lists them")
        }
        guard self.settlement != nil else { throw ValidationError("settle: say what is done, with --action") }
        if let duration = self.duration, duration < .seconds(1) { throw ValidationError("--for must be at least 1s") }
    }

    mutating func run() throws -> ExitCode {
        switch self.action {
        case .list: try self.list()
        case .settle:
            let note = self.note.map { "&note=\(PercentCoding.encode($0))" } ?? ""
            let seconds = self.duration.map { "&seconds=\($0.components.seconds)" } ?? ""
            let action = "action=\(self.settlement?.rawValue ?? "")\(seconds)\(note)"
            _ = try self.server.call.send(.post, "/v1/reports/\(self.report ?? 0)/settle?\(action)")
        }
        return .success
    }

    private func list() throws {
        let answer = try self.server.call.send(.get, "/v1/reports?all=\(self.all)&after=\(self.after)")
        if self.server.json { return print(String(decoding: answer, as: UTF8.self)) }
        AdminTable.print(
            answer, "reports", ["report", "time", "reporter", "target", "accused", "reason", "text", "action"],
            orElse: "No reports are open.",
            times: ["time"])
    }
}
