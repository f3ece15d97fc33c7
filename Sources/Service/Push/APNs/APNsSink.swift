internal import Bytes
internal import Client
internal import Hashing
internal import Journal
internal import Keeping
internal import Reactor
internal import Secure
internal import Vocabulary
internal import Web

/// Carries pushes to Apple's push service: many over one connection to each of its environments.
final class APNsSink: PushSink {
    private let topic: String
    private let clients: [APNsToken.Environment: HTTP2Client]
    private let reactor: Reactor
    private let journal: Journal
    private var access: APNsAccess
    /// What the operator was told last of keys and names that Apple does not take.
    private var toldReason: String?

    private static let timeout = Duration.seconds(30)

    init(_ settings: APNsSettings, on reactor: Reactor, _ journal: Journal) throws(SecureError) {
        self.access = APNsAccess(try APNsKey(pem: settings.key, keyID: settings.keyID, team: settings.team))
        self.topic = settings.topic
        self.reactor = reactor
        self.journal = journal
        var clients: [APNsToken.Environment: HTTP2Client] = [:]
        for (environment, text) in [
            (APNsToken.Environment.production, settings.production), (.development, settings.development),
        ] {
            clients[environment] = ServerURL(text).map { HTTP2Client($0, on: reactor) }
        }
        self.clients = clients
    }

    func send(_ push: OutgoingPush, _ completion: @escaping Completion) throws(PushRefusal) {
        guard let token = APNsToken(endpoint: push.device.endpoint), let client = self.clients[token.environment] else {
            throw PushRefusal("this is no token of APNs")
        }
        let message = APNsMessage(
            push.plain, sealed: try push.sealed, language: push.device.language, topic: push.topic)
        guard message.json.count <= APNsMessage.maximumBytes else { return completion(.tooLarge, nil) }
        try self.send(
            message, push, hasFreshToken: false,
            { [weak self] answer, status in
                self?.tell(answer, status)
                completion(answer, status)
            }, over: client, to: token)
    }

    private func send(
        _ message: APNsMessage, _ push: OutgoingPush, hasFreshToken: Bool, _ completion: @escaping Completion,
        over client: HTTP2Client, to token: APNsToken
    ) throws(PushRefusal) {
        let access = try self.accessToken()
        client.send(
            .post, "/3/device/\(token.text)", fields: self.fields(message, push, access), body: message.json,
            timeout: Self.timeout
        ) { [weak self] outcome in
            guard let self else { return }
            let (answer, status) = (PushAnswer(apns: outcome, since: push.device.since), try? outcome.get().status.code)
            guard case .accessRefused = answer, !hasFreshToken, self.access.wasRefused(access, self.uptime) else {
                return completion(answer, status)
            }
            do throws(PushRefusal) {
                try self.send(message, push, hasFreshToken: true, completion, over: client, to: token)
            } catch {
                completion(.refused(trouble: error.words), status)
            }
        }
    }

    private var uptime: Duration { .milliseconds(Int64(clamping: self.reactor.now)) }

    private func accessToken() throws(PushRefusal) -> String {
        do throws(SecureError) {
            return try self.access.token(at: SystemClock.now(), self.uptime)
        } catch {
            throw PushRefusal("\(error)")
        }
    }

    private func fields(_ message: APNsMessage, _ push: OutgoingPush, _ access: String) -> HTTPFields {
        [
            "authorization": "bearer \(access)", "apns-topic": self.topic, "apns-push-type": message.kind.rawValue,
            "apns-priority": "\(message.priority)",
            "apns-expiration": push.life == 0 ? "0" : "\(SystemClock.now().seconds + push.life)",
            "apns-collapse-id": push.topic, "apns-id": Self.id(of: push),
        ]
    }

    /// The same for each attempt, so that Apple's own records tell them together.
    private static func id(of push: OutgoingPush) -> String {
        let names = "\(push.id.text) \(push.device.user.text) \(push.device.device.text)"
        return UUIDText.write(Array(Digest.sha256.hash(Array(names.utf8)).prefix(16)))
    }

    /// Keys and names that Apple does not take are for the operator to mend.
    private func tell(_ answer: PushAnswer, _ status: UInt16?) {
        switch answer {
        case .taken: self.toldReason = nil
        case .accessRefused(let trouble), .refused(let trouble):
            guard status == 403, self.toldReason != trouble else { return }
            self.toldReason = trouble
            self.journal.error(.apnsRefused, "APNs does not take this server's pushes", [.reason: .plain(trouble)])
        case .gone, .tooLarge, .later: break
        }
    }
}

extension PushAnswer {
    fileprivate init(apns outcome: HTTP2Client.Outcome, since: WallTime) {
        switch outcome {
        case .failure(let failure): self = .failed(failure)
        case .success(let answer):
            self.init(
                apns: answer.status.code, retryAfter: answer.fields["Retry-After"], answer.body, since: since)
        }
    }
}

extension LogName {
    static let apnsRefused = LogName("push.apns_refused")
}
