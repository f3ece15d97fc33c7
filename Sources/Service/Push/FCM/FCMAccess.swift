internal import Client
internal import JSON
internal import Journal
internal import Reactor
internal import Secure
internal import Web

/// The access token of a service account: asked for once although many pushes wait for it, kept until a minute before its
/// end. Where it is refused, it is not asked for at once again.
///
///     none ──token()──▶ asking ──answered──▶ known ──time, forget()──▶ none
///                          └───failed──▶ resting ──time──▶ none
final class FCMAccess {
    struct Trouble: Error, Hashable {
        let words: String
        /// When to ask again.
        let wait: Duration
    }

    typealias Waiter = (Result<String, Trouble>) -> Void

    private enum State {
        /// Can become: asking.
        case none
        /// Can become: known, resting.
        case asking([Waiter])
        /// Can become: asking, none.
        case known(String, until: Duration)
        /// Can become: asking.
        case resting(until: Duration, String)
    }

    private let account: ServiceAccount
    private let url: HTTPURL
    private let reactor: Reactor
    private let journal: Journal
    private var state = State.none
    private var failures = 0

    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let timeout = Duration.seconds(30)
    private static let margin = Duration.seconds(60)
    private static let firstWait = Duration.seconds(1)
    private static let maximumWait = Duration.seconds(600)
    private static let maximumBytes = 64 << 10

    init(_ account: ServiceAccount, at url: HTTPURL, on reactor: Reactor, _ journal: Journal) {
        self.account = account
        self.url = url
        self.reactor = reactor
        self.journal = journal
    }

    private var now: Duration { .milliseconds(Int64(clamping: self.reactor.now)) }

    func token(_ body: @escaping Waiter) {
        switch self.state {
        case .asking(let waiters): self.state = .asking(waiters + [body])
        case .known(let token, let end) where self.now < end: body(.success(token))
        case .resting(let end, let words) where self.now < end:
            body(.failure(Trouble(words: words, wait: end - self.now)))
        case .none, .known, .resting: self.ask(for: body)
        }
    }

    /// It was refused. Another one may have come meanwhile, and stays.
    func forget(_ token: String) {
        if case .known(token, _) = self.state { self.state = .none }
    }

    private func ask(for waiter: @escaping Waiter) {
        self.state = .asking([waiter])
        let assertion: String
        do throws(SecureError) {
            assertion = try self.account.assertion(scope: Self.scope, at: SystemClock.now())
        } catch {
            return self.failed("\(error)")
        }
        // What it is made of needs no escape but these colons (RFC 7523 §4).
        let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        let body = Array("grant_type=\(grant)&assertion=\(assertion)".utf8)
        let fields: HTTPFields = ["Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"]
        HTTPCall(
            self.url.server, on: self.reactor, rules: HTTPCallRules(maximumBodyBytes: Self.maximumBytes)
        ) { [weak self] in
            self?.answered($0)
        }.send(.post, self.url.target, fields: fields, body: body, timeout: Self.timeout)
    }

    private func answered(_ outcome: HTTPCall.Outcome) {
        let answer: HTTPCall.Answer
        switch outcome {
        case .failure(let failure): return self.failed("no access token for FCM: \(failure)")
        case .success(let found): answer = found
        }
        guard answer.status.isSuccess, let (token, life) = Self.token(in: answer.body) else {
            return self.failed("no access token for FCM: it answered \(answer.status.code)")
        }
        self.failures = 0
        self.become(.known(token, until: self.now + life - Self.margin), .success(token))
    }

    /// With how long it lives.
    private static func token(in body: [UInt8]) -> (String, Duration)? {
        guard let form = try? JSONObject(body.span), let token = form["access_token", .text], !token.isEmpty,
            token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return (token, .seconds(max(0, min(form["expires_in", .integer] ?? 0, 86_400))))
    }

    private func failed(_ words: String) {
        let wait = min(Self.firstWait * (1 << min(self.failures, 20)), Self.maximumWait)
        self.failures += 1
        self.journal.error(.fcmAccessRefused, "no access token for FCM", [.reason: .plain(words)])
        self.become(.resting(until: self.now + wait, words), .failure(Trouble(words: words, wait: wait)))
    }

    private func become(_ state: State, _ result: Result<String, Trouble>) {
        guard case .asking(let waiters) = self.state else { return }
        self.state = state
        for waiter in waiters { waiter(result) }
    }
}

extension LogName {
    static let fcmAccessRefused = LogName("push.fcm_access_refused")
}
