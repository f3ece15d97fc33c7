internal import Client
internal import Keeping
internal import Reactor
internal import Secure
internal import Vocabulary
internal import Web

/// Carries pushes to browsers and distributors of UnifiedPush (RFC 8030): sealed, one request each.
final class WebPushSink: PushSink {
    private let key: VAPIDKey
    private let rules: HTTPCallRules
    private let reactor: Reactor
    private var tokens: [String: VAPIDKey.Token] = [:]

    private static let timeout = Duration.seconds(30)
    private static let maximumTokens = 1000

    init(_ key: VAPIDKey, reaching addresses: AddressPolicy, on reactor: Reactor) {
        self.key = key
        self.rules = HTTPCallRules(.stranger, addresses: addresses, maximumBodyBytes: 16 << 10)
        self.reactor = reactor
    }

    func send(_ push: OutgoingPush, _ completion: @escaping Completion) throws(PushRefusal) {
        try self.send(push, hasFreshToken: false, completion)
    }

    private func send(
        _ push: OutgoingPush, hasFreshToken: Bool, _ completion: @escaping Completion
    ) throws(PushRefusal) {
        let endpoint = try PushEndpoint(push.device.endpoint)
        let body = try PushCipher(of: push.device).sealed(push.plain)
        let fields = try self.fields(push, endpoint.origin)
        HTTPCall(endpoint.url.server, on: self.reactor, rules: self.rules) { [weak self] outcome in
            let (answer, status) = (PushAnswer(web: outcome), try? outcome.get().status.code)
            guard case .accessRefused = answer, !hasFreshToken, let self else { return completion(answer, status) }
            self.tokens = [:]
            do throws(PushRefusal) {
                try self.send(push, hasFreshToken: true, completion)
            } catch {
                completion(.refused(trouble: error.words), status)
            }
        }.send(.post, endpoint.url.target, fields: fields, body: body, timeout: Self.timeout)
    }

    private func fields(_ push: OutgoingPush, _ origin: String) throws(PushRefusal) -> HTTPFields {
        var fields = HTTPFields()
        fields.set("TTL", to: "\(push.life)")
        fields.set("Content-Encoding", to: "aes128gcm")
        fields.set(.contentType, to: "application/octet-stream")
        fields.set("Urgency", to: push.urgency.rawValue)
        fields.set("Topic", to: push.topic)
        fields.set("Authorization", to: try self.token(for: origin).field)
        return fields
    }

    /// One for each push service, used again for hours. No service takes one that was made before the clock was set back by far.
    private func token(for origin: String) throws(PushRefusal) -> VAPIDKey.Token {
        let now = SystemClock.now()
        if let known = self.tokens[origin], now + .seconds(3600) < known.expiry,
            known.expiry <= now + VAPIDKey.tokenLife
        {
            return known
        }
        if self.tokens.count >= Self.maximumTokens { self.tokens = [:] }
        do throws(SecureError) {
            let token = try self.key.token(for: origin, at: now)
            self.tokens[origin] = token
            return token
        } catch {
            throw PushRefusal("\(error)")
        }
    }
}

extension PushAnswer {
    fileprivate init(web outcome: HTTPCall.Outcome) {
        switch outcome {
        case .failure(let failure): self = .failed(failure)
        case .success(let answer): self.init(web: answer.status.code, retryAfter: answer.fields["Retry-After"])
        }
    }

    /// RFC 8030 §5, RFC 8292 §4.2.
    init(web status: UInt16, retryAfter: String?) {
        let trouble = "the push service answered \(status)"
        switch status {
        case 200...299: self = .taken
        case 404, 410: self = .gone
        case 401, 403: self = .accessRefused(trouble: trouble)
        case 413: self = .tooLarge
        case 408, 425, 429, 500...599: self = .later(retryAfter: Self.wait(retryAfter), trouble: trouble)
        default: self = .refused(trouble: trouble)
        }
    }
}
