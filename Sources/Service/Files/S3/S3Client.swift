internal import Client
internal import FileTypes
internal import Reactor
internal import S3
internal import System
internal import Vocabulary
internal import Web

/// Asks a store, signs what it asks, and asks again for what may pass.
final class S3Client: Sendable {
    let address: S3Address
    let names: S3Names
    private let keys: S3Keys
    private let server: ServerURL
    private let rules: HTTPCallRules
    /// Told of everything that came of a request: nothing where the store did its work.
    private let observe: @Sendable (S3Problem?) -> Void

    typealias Completion = (Result<HTTPCall.Answer, S3Problem>) -> Void

    /// Nothing moved for so long.
    private static let idleTimeout = Duration.seconds(20)
    private static let attempts = 4
    private static let firstPause = Duration.milliseconds(300)
    /// A list of a thousand things.
    private static let maximumAnswerBytes = 4 << 20

    /// Nil for an endpoint that is no address of a server.
    init?(_ settings: S3Settings, observe: @escaping @Sendable (S3Problem?) -> Void = { _ in }) {
        guard let server = ServerURL(settings.address.server) else { return nil }
        self.address = settings.address
        self.names = S3Names(in: settings.address)
        self.keys = settings.keys
        self.server = server
        self.rules = HTTPCallRules(maximumBodyBytes: Self.maximumAnswerBytes)
        self.observe = observe
    }

    /// - Parameter makeSource: gives the body, once for each attempt; nil where the request has it itself.
    func send(
        _ request: S3Request, on reactor: Reactor, attempts: Int = S3Client.attempts,
        from makeSource: (() -> any HTTPBodySource)? = nil, _ done: @escaping Completion
    ) {
        self.send(request, on: reactor, attempt: 1, of: attempts, makeSource, done)
    }

    private func send(
        _ request: S3Request, on reactor: Reactor, attempt: Int, of attempts: Int,
        _ makeSource: (() -> any HTTPBodySource)?, _ done: @escaping Completion
    ) {
        let call = HTTPCall(self.server, on: reactor, rules: self.rules) { outcome in
            let result = Self.result(outcome)
            guard case .failure(let problem) = result, problem.reason == .passing, attempt < attempts else {
                self.note(result)
                return done(result)
            }
            // Those who were sent away together do not come back together.
            let pause = Self.firstPause * (1 << (attempt - 1)) * Double.random(in: 0.75...1.25)
            reactor.schedule(after: pause) {
                self.send(request, on: reactor, attempt: attempt + 1, of: attempts, makeSource, done)
            }
        }
        self.send(request, by: call, from: makeSource?())
    }

    private func send(_ request: S3Request, by call: HTTPCall, from source: (any HTTPBodySource)?) {
        let (target, fields) = request.signed(
            by: self.keys, for: self.address, host: self.server.authority, at: SystemClock.now())
        let body = source ?? (request.body.isEmpty ? nil : HeldBody(request.body))
        call.send(request.method, target, fields: fields, from: body, idleTimeout: Self.idleTimeout)
    }

    /// Gives an answer on piece by piece; one that was begun is not asked for again.
    func stream(
        _ request: S3Request, on reactor: Reactor, into sink: any HTTPAnswerSink, _ done: @escaping Completion
    ) -> HTTPCall {
        var rules = self.rules
        rules.maximumBodyBytes = .max
        let call = HTTPCall(self.server, on: reactor, rules: rules, into: sink) { outcome in
            let result = Self.result(outcome)
            self.note(result)
            done(result)
        }
        self.send(request, by: call, from: nil)
        return call
    }

    private static func result(_ outcome: HTTPCall.Outcome) -> Result<HTTPCall.Answer, S3Problem> {
        switch outcome {
        case .failure(let failure): return .failure(S3Problem(.passing, "\(failure)"))
        case .success(let answer):
            if let problem = S3Problem(answer.status, answer.body) { return .failure(problem) }
            return .success(answer)
        }
    }

    private func note(_ result: Result<HTTPCall.Answer, S3Problem>) {
        guard case .failure(let problem) = result else { return self.observe(nil) }
        switch problem.reason {
        case .passing, .setup: self.observe(problem)
        case .missing, .exists, .unknownRequest: self.observe(nil)
        }
    }

    /// A link for whoever has it, that a browser finds again among what it keeps.
    func link(_ method: HTTPMethod, to blob: Blob) -> String {
        let seconds = self.address.linkSeconds
        let now = SystemClock.now().seconds
        let start = WallTime(seconds: now - now % Int64(self.linkStep))
        let query: SigV4.Pairs = [
            ("response-cache-control", "private, max-age=\(seconds), immutable"),
            ("response-content-disposition", blob.disposition), ("response-content-type", blob.type.mediaType),
        ]
        let path = self.address.path(of: self.names.key(of: blob.hash, isSmall: blob.isSmall))
        let signed = SigV4(self.keys, region: self.address.region).presigned(
            method.text, path: path, query: query, host: self.server.authority, at: start, seconds: seconds)
        return "\(self.address.server)\(path)?\(signed)"
    }

    /// Links made within so many seconds are the same.
    var linkStep: Int { max(1, min(300, self.address.linkSeconds / 12)) }
}

/// A body that is there already.
private final class HeldBody: HTTPBodySource {
    private var bytes: [UInt8]
    let length: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        self.length = bytes.count
    }

    func next(_ give: @escaping ([UInt8]?) -> Void) {
        let bytes = self.bytes
        self.bytes = []
        give(bytes)
    }
}

/// The same for those who have a thread to wait on: never one of a loop.
struct BlockingS3: Sendable {
    let client: S3Client
    let loop: EventLoop

    func ask(_ request: S3Request, body: [UInt8]? = nil, attempts: Int = 3) throws(S3Problem) -> HTTPCall.Answer {
        let outcome = Locked<Result<HTTPCall.Answer, S3Problem>?>(nil)
        let done = Gate()
        let client = self.client
        self.loop.execute { reactor in
            let makeSource: (() -> any HTTPBodySource)? = body.map { bytes in { HeldBody(bytes) } }
            client.send(request, on: reactor, attempts: attempts, from: makeSource) { result in
                outcome.withLock { $0 = result }
                done.open()
            }
        }
        done.wait()
        guard let result = outcome.withLock(\.self) else { preconditionFailure("the gate is open") }
        return try result.get()
    }

    /// All that begins so, portion by portion.
    func list(_ start: String, _ take: ([S3List.Item]) -> Void) throws(S3Problem) {
        var next: String?
        repeat {
            let answer = try self.ask(.list(start, from: next))
            guard let list = try? S3List(parsing: answer.body) else {
                throw S3Problem(.passing, "its list cannot be read")
            }
            take(list.items)
            next = list.next
        } while next != nil
    }
}
