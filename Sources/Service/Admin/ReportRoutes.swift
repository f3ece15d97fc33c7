internal import Conversing
internal import HTTPServer
internal import JSON
internal import Keeping
internal import Operations
internal import Reactor
internal import Vocabulary
internal import Web

/// What users report, and what operators do about it: `/v1/reports`.
extension AdminRoutes {
    func addReports(to router: inout Router) {
        self.on(.get, "/v1/reports", of: &router) { exchange, _ in
            guard let request = Self.listing(exchange.request) else {
                return exchange.respond(
                    .error(
                        .badRequest, "'after' must be a whole number, 'limit' one from 1 to 100, 'all' true or false"))
            }
            self.signalling.store.send(
                request,
                exchange.reactor.returning { result in
                    Self.answer(exchange, result) { json, reports in
                        json.object { $0.array("reports", of: reports) { $0.report($1) } }
                    }
                })
        }
        self.on(.post, "/v1/reports/:report/settle", of: &router) { self.settle($0, $1) }
    }

    private static func listing(_ request: HTTPRequestHead) -> ListReports? {
        guard let query = QueryItems(request.query ?? ""), let limit = Int(query["limit"] ?? "50"),
            (1...ListReports.maximumLimit).contains(limit), let after = Int64(query["after"] ?? "0"), after >= 0,
            let isAll = Bool(query["all"] ?? "false")
        else { return nil }
        return ListReports(isOpen: !isAll, after: after, limit: limit)
    }

    private func settle(_ exchange: HTTPExchange, _ parameters: PathParameters) {
        guard let number = parameters["report"].flatMap({ Int64($0) }), let wish = ReportSettlement(exchange.request)
        else {
            let actions = ReportSettlement.Action.allCases.map(\.rawValue).joined(separator: ", ")
            return exchange.respond(
                .error(
                    .badRequest,
                    "'action' must be one of \(actions); 'seconds' a whole number from 1 on, 'note' at most 1000 bytes")
            )
        }
        let signalling = self.signalling
        self.carryOut(exchange, "report.settle", on: String(number), wish.words) {
            await wish.settle(number, in: signalling)
        }
    }
}

/// What an operator does about a report.
private struct ReportSettlement: Sendable {
    enum Action: String, CaseIterable {
        case dismiss, recall, remove, silence, kick, ban
    }

    private let action: Action
    private let duration: Duration
    /// A removal is for good where nothing is said.
    private let end: WallTime?
    private let note: String?

    private static let maximumNoteBytes = 1000

    init?(_ request: HTTPRequestHead) {
        guard let query = QueryItems(request.query ?? ""),
            let action = query["action"].flatMap({ Action(rawValue: $0) }),
            let seconds = Int64(query["seconds"] ?? "86400"), seconds >= 1,
            (query["note"] ?? "").utf8.count <= Self.maximumNoteBytes
        else { return nil }
        self.action = action
        self.duration = .seconds(seconds)
        self.end = query["seconds"].map { _ in SystemClock.now() + .seconds(seconds) }
        self.note = query["note"]
    }

    var words: String {
        switch self.action {
        case .silence, .ban: "action=\(self.action.rawValue) seconds=\(self.duration.components.seconds)"
        case .remove where self.end != nil: "action=remove seconds=\(self.duration.components.seconds)"
        case .dismiss, .recall, .remove, .kick: "action=\(self.action.rawValue)"
        }
    }

    func settle(_ number: Int64, in signalling: Signalling) async -> AdminOutcome {
        guard case .success(let found) = await signalling.store.answer(to: FindReport(number)) else { return .failed }
        guard let report = found else { return .refused(.notFound, "no report has this number") }
        guard report.settlement == nil else { return .refused(.conflict, "this report is settled already") }
        let outcome = await self.act(on: report, in: signalling)
        guard case .done = outcome else { return outcome }
        let settlement = Report.Settlement(at: SystemClock.now(), self.action.rawValue, note: self.note)
        guard case .success(let isSettled) = await signalling.store.answer(to: SettleReport(number, settlement)) else {
            return .failed
        }
        return isSettled ? .done() : .refused(.conflict, "this report is settled already")
    }

    private func act(on report: Report, in signalling: Signalling) async -> AdminOutcome {
        switch self.action {
        case .dismiss: return .done()
        case .kick, .ban:
            guard let user = report.accused else { return .refused(.badRequest, "this report names no user") }
            return .init(
                done: self.action == .kick
                    ? await signalling.kick(user) : await signalling.ban(user, for: self.duration))
        case .recall, .remove, .silence:
            guard case .message(let id, let message) = report.target, let user = report.accused else {
                return .refused(.badRequest, "this report is about no message")
            }
            let change: ConversationChange =
                switch self.action {
                case .recall: .recall(message)
                case .remove: .remove(user, until: self.end)
                default: .silence(user, until: SystemClock.now() + self.duration)
                }
            guard let error = await signalling.moderate(change, in: id) else { return .done() }
            return error.code == .unavailable ? .failed : .refused(.conflict, error.message)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func report(_ report: Report) {
        self.object { json in
            json.field("report", report.number)
            json.field("time", report.time.milliseconds)
            json.members([
                ("reporter", report.reporter.text), ("target", report.target.name), ("accused", report.accused?.text),
                ("reason", report.reason.rawValue), ("text", report.text),
            ])
            if let body = report.evidence { json.field("body", raw: body) }
            guard let settlement = report.settlement else { return }
            json.field("settled", settlement.time.milliseconds)
            json.members([("action", settlement.action), ("note", settlement.note)])
        }
    }
}
