internal import Client
internal import HTTPServer
internal import S3
internal import Web

/// A download that passes this server: from the store to the client, no faster than the client reads.
final class S3Passage: HTTPAnswerSink {
    private let client: S3Client
    private let blob: Blob
    private let exchange: HTTPExchange
    private let refuse: (FileProblem) -> Void
    private var call: HTTPCall?
    private var head: HTTPResponseHead

    init(_ client: S3Client, _ blob: Blob, _ exchange: HTTPExchange, orElse refuse: @escaping (FileProblem) -> Void) {
        self.client = client
        self.blob = blob
        self.exchange = exchange
        self.refuse = refuse
        self.head = HTTPResponseHead(.ok, fields: blob.fields)
    }

    func start() {
        self.head.fields.set(.acceptRanges, to: "bytes")
        let tag = EntityTag(self.blob.tag)
        if let tag { self.head.fields.set(.eTag, to: tag.description) }
        let conditions = HTTPPreconditions(self.exchange.request)
        switch conditions.verdict(tag: tag, modified: nil) {
        case .notModified: return self.end(.notModified)
        case .failed: return self.exchange.respond(.error(.preconditionFailed, "the file is another one"))
        case .proceed: break
        }
        guard self.exchange.request.method == .get else { return self.fetch(nil) }
        guard let size = self.blob.size, conditions.allowsPart(tag: tag, modified: nil) else { return self.fetch(nil) }
        let wanted = ByteRangeRequest(self.exchange.request.fields[.range], length: size)
        self.head.fields[.contentRange] = wanted.contentRange(length: size)
        switch wanted {
        case .whole: self.fetch(nil)
        case .part(let range):
            self.head.status = .partialContent
            self.fetch(range)
        case .unsatisfiable: self.end(.rangeNotSatisfiable)
        }
    }

    private func end(_ status: HTTPStatus) {
        self.head.status = status
        self.exchange.respond(HTTPResponse(self.head))
    }

    private func fetch(_ range: Range<Int>?) {
        let key = self.client.names.key(of: self.blob.hash, isSmall: self.blob.isSmall)
        let isHead = self.exchange.request.method == .head
        let request = isHead ? S3Request.head(key) : .get(key, range)
        self.call = self.client.stream(request, on: self.exchange.reactor, into: self) { self.ended($0) }
        self.exchange.onAbandoned = { self.call?.cancel() }
        self.exchange.onDrained = { self.call?.resume() }
    }

    func began(_ head: HTTPResponseHead) {
        // A store that does not know ranges gives all of it.
        let isWhole = head.status != .partialContent
        if isWhole, self.head.status == .partialContent {
            self.head.status = .ok
            self.head.fields.remove(.contentRange)
        }
        let length = head.fields[.contentLength].flatMap { Int($0) }
        self.exchange.start(self.head, length: length)
    }

    func received(_ bytes: Span<UInt8>) {
        if !self.exchange.write(bytes) { self.call?.pause() }
    }

    private func ended(_ result: Result<HTTPCall.Answer, S3Problem>) {
        self.call = nil
        self.exchange.onAbandoned = nil
        self.exchange.onDrained = nil
        guard self.exchange.isAlive else { return }
        switch result {
        case .success: self.exchange.finish()
        case .failure where self.exchange.isAnswered: self.exchange.fail()
        case .failure(let problem): self.refuse(problem.reason == .missing ? .notFound : .unavailable)
        }
    }
}
