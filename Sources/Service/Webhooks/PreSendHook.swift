internal import Client
internal import Conversing
internal import JSON
internal import Journal
internal import Operations
internal import Reactor
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// Asks another program whether something may be said. What one user says is asked one after another, so that it keeps its
/// order. What was said before and is only repeated is not asked about again.
final class PreSendHook: ChatGate {
    private let url: HTTPURL
    private let signature: HookSignature
    private let time: Duration
    private let silence: HookSettings.Silence
    private let store: any Store
    private let reactor: Reactor
    private let journal: Journal
    private var waiting: [UserID: [Question]] = [:]
    private var asked = 0

    private struct Question {
        let request: ChangeRequest
        let verdict: (RequestError?) -> Void
    }

    /// Of one user.
    private static let maximumWaiting = 100
    private static let maximumReasonLength = 200

    init(_ url: HTTPURL, _ settings: HookSettings, _ store: any Store, on reactor: Reactor, _ journal: Journal) {
        self.url = url
        self.signature = HookSignature(secret: settings.secret)
        self.time = settings.preSendTime
        self.silence = settings.preSendSilence
        self.store = store
        self.reactor = reactor
        self.journal = journal
    }

    func judge(_ request: ChangeRequest, _ verdict: @escaping (RequestError?) -> Void) {
        let before = self.waiting[request.actor]?.count ?? 0
        guard before < Self.maximumWaiting else {
            return verdict(RequestError(.rateLimited, "too many messages wait", retryAfter: .seconds(1)))
        }
        self.waiting[request.actor, default: []].append(Question(request: request, verdict: verdict))
        if before == 0 { self.ask(for: request.actor) }
    }

    private func ask(for user: UserID) {
        guard let request = self.waiting[user]?.first?.request else { return }
        guard let client = request.client else { return self.post(request) }
        // In its turn among the writers, so that what this user said a moment ago is known.
        self.store.send(
            FindRepetition(of: client, by: user),
            self.reactor.returning { [weak self] found in
                if (try? found.get()) == true { self?.settle(nil, for: user) } else { self?.post(request) }
            })
    }

    private func post(_ request: ChangeRequest) {
        let user = request.actor
        let call = HTTPCall(self.url.server, on: self.reactor, rules: HTTPCallRules(maximumBodyBytes: 64 << 10)) {
            [weak self] outcome in
            guard let self else { return }
            self.settle(self.verdict(of: outcome), for: user)
        }
        let json = JSONWriter.bytes { $0.question(request) }
        self.asked += 1
        var fields = self.signature.fields(id: "ask-\(self.asked)", at: SystemClock.now(), json)
        if let trace = request.trace.flatMap({ TraceContext($0) }) {
            var random = SystemRandomNumberGenerator()
            fields.set(.traceParent, to: trace.next(using: &random).text)
        }
        call.send(.post, self.url.target, fields: fields, json: json, timeout: self.time)
    }

    private func settle(_ verdict: RequestError?, for user: UserID) {
        guard let question = self.waiting[user]?.first else { return }
        self.waiting[user]?.removeFirst()
        if self.waiting[user]?.isEmpty ?? true { self.waiting[user] = nil }
        question.verdict(verdict)
        self.ask(for: user)
    }

    private func verdict(of outcome: HTTPCall.Outcome) -> RequestError? {
        guard case .success(let answer) = outcome, answer.status.isSuccess else { return self.silent("\(outcome)") }
        if answer.body.isEmpty { return nil }
        guard let verdict = try? JSONObject(answer.body.span), let isAllowed = verdict["allow", .bool] else {
            return self.silent("its answer makes no sense")
        }
        guard !isAllowed else { return nil }
        let reason = verdict["reason", .text] ?? "this may not be said here"
        return RequestError(.forbidden, String(reason.prefix(Self.maximumReasonLength)))
    }

    private func silent(_ why: String) -> RequestError? {
        self.journal.error(.preSendSilent, "the pre-send hook did not answer", [.reason: .plain(why)])
        guard self.silence == .refuse else { return nil }
        return RequestError(.unavailable, "whether this may be sent could not be found out", retryAfter: .seconds(1))
    }
}

extension JSONWriter {
    /// Who wants to say what, and where.
    fileprivate mutating func question(_ request: ChangeRequest) {
        self.fields(("event", "chat.asked"), ("from", request.actor.text)) { json in
            switch request.address {
            case .id(let id): json.field("conversation", id.text)
            case .user(let user, _): json.field("user", user.text)
            }
            json.optional("id", request.client?.text)
            switch request.change {
            case .post(let draft):
                json.field("kind", draft.kind.text)
                json.field("body", raw: draft.body.json)
            case .edit(let number, let body):
                json.field("number", number)
                json.field("body", raw: body.json)
            default: break
            }
            guard let original = request.original else { return }
            json.object("forward") { json in
                json.field("conversation", original.conversation.text)
                json.field("number", original.number)
            }
        }
    }
}

extension LogName {
    static let preSendSilent = LogName("presend.silent")
}
