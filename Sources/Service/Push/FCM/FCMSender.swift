internal import Client
internal import Journal
internal import Keeping
internal import Reactor
internal import Secure
internal import Web

/// Carries pushes to Firebase Cloud Messaging, one request each.
final class FCMSender: PushSink {
    private let access: FCMAccess
    private let url: HTTPURL
    private let style: FCMSettings.Style
    private let reactor: Reactor

    private static let timeout = Duration.seconds(30)
    private static let maximumBytes = 64 << 10

    init(_ settings: FCMSettings, on reactor: Reactor, _ journal: Journal) throws(SecureError) {
        let account = try ServiceAccount(parsing: settings.credentials)
        guard let token = HTTPURL(account.tokenURL),
            let send = HTTPURL("\(settings.service)/v1/projects/\(account.projectID)/messages:send")
        else { throw SecureError("reading a service account", reason: "its 'token_uri' is no URL") }
        self.access = FCMAccess(account, at: token, on: reactor, journal)
        self.url = send
        self.style = settings.style
        self.reactor = reactor
    }

    func send(_ push: OutgoingPush, _ completion: @escaping Completion) throws(PushRefusal) {
        guard let token = FCMToken(endpoint: push.device.endpoint) else {
            throw PushRefusal("this is no token of FCM")
        }
        let envelope = FCMMessage.Envelope(
            token: token, topic: push.topic, urgency: push.urgency, life: push.life)
        let message =
            try push.sealed.map { FCMMessage(sealed: $0, envelope) } ?? FCMMessage(push.plain, self.style, envelope)
        self.send(message, hasFreshToken: false, completion)
    }

    private func send(_ message: FCMMessage, hasFreshToken: Bool, _ completion: @escaping Completion) {
        guard message.payloadBytes <= FCMMessage.maximumPayloadBytes else { return completion(.tooLarge, nil) }
        self.access.token { [weak self] result in
            switch result {
            case .success(let token): self?.send(message, token, hasFreshToken: hasFreshToken, completion)
            case .failure(let trouble):
                completion(.later(retryAfter: trouble.wait, firstWait: nil, trouble: trouble.words), nil)
            }
        }
    }

    private func send(
        _ message: FCMMessage, _ token: String, hasFreshToken: Bool, _ completion: @escaping Completion
    ) {
        HTTPCall(
            self.url.server, on: self.reactor, rules: HTTPCallRules(maximumBodyBytes: Self.maximumBytes)
        ) { [weak self] outcome in
            let (answer, status) = (PushAnswer(fcm: outcome), try? outcome.get().status.code)
            guard case .accessRefused = answer, !hasFreshToken, let self else {
                return completion(answer, status)
            }
            self.access.forget(token)
            self.send(message, hasFreshToken: true, completion)
        }.send(
            .post, self.url.target, fields: ["Authorization": "Bearer \(token)"], json: message.json,
            timeout: Self.timeout)
    }
}

extension PushAnswer {
    fileprivate init(fcm outcome: HTTPCall.Outcome) {
        switch outcome {
        case .failure(let failure): self = .failed(failure)
        case .success(let answer):
            self.init(fcm: answer.status.code, retryAfter: answer.fields["Retry-After"], answer.body)
        }
    }
}
