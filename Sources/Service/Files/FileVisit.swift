internal import FileTypes
internal import HTTPServer
internal import Identity
internal import JSON
internal import Operations
internal import Reactor
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// One request about files, from the door to the answer. It stays on the loop it came to.
final class FileVisit {
    let exchange: HTTPExchange
    let desk: FileService
    /// Go with every answer.
    var fields: [(HTTPFieldName, String)] = []

    init(_ exchange: HTTPExchange, _ desk: FileService) {
        self.exchange = exchange
        self.desk = desk
    }

    var reactor: Reactor { self.exchange.reactor }

    /// A client with a valid token and requests left comes in.
    func admit(_ work: (UserID) -> Void) {
        do throws(RequestError) {
            let identity = try self.desk.accounts.identity(of: self.exchange)
            let now = Instant(milliseconds: Int64(clamping: self.reactor.now))
            self.fields += try self.desk.count(identity.user, at: now)
            work(identity.user)
        } catch {
            self.refuse(FileProblem(error))
        }
    }

    func answer(_ response: HTTPResponse) {
        var response = response
        response.head.fields.set(.cacheControl, to: "no-store")
        for (name, value) in self.fields { response.head.fields.set(name, to: value) }
        self.exchange.respond(response)
    }

    func refuse(_ problem: FileProblem) { self.answer(problem.response) }

    /// Goes on with what went well, and answers what did not.
    func unless<Value>(_ result: Result<Value, FileProblem>, _ work: (Value) -> Void) {
        switch result {
        case .success(let value): work(value)
        case .failure(let problem): self.refuse(problem)
        }
    }

    /// The store's answer, on this loop; a failure is answered here.
    func asking<Value: Sendable>(
        _ completion: @escaping (Value) -> Void
    ) -> @Sendable (Result<Value, StoreError>) -> Void {
        self.reactor.returning { (result: Result<Value, StoreError>) in
            self.unless(result.mapError { self.desk.failed($0) }, completion)
        }
    }

    /// What there is to know of a file, and links to it.
    func describe(_ file: FileRecord, _ status: HTTPStatus = .ok, for user: UserID) {
        let json = JSONWriter.bytes { $0.file(file, self.desk.links, for: user, at: SystemClock.now()) }
        self.answer(.json(status, json))
    }
}

extension JSONWriter {
    /// What there is to know of a file, and links to it.
    mutating func file(_ file: FileRecord, _ links: FileLinks, for user: UserID, at now: WallTime) {
        let content = links.link(to: file.id, .content, for: user, at: now)
        self.fields(("file", file.id.text), ("type", file.type.mediaType), ("url", content)) { json in
            json.field("size", file.size)
            json.field("time", file.created.milliseconds)
            json.field("expires", links.expiry(at: now) * 1000)
            json.optional("name", file.label?.text)
            if let outline = file.outline {
                json.field("duration", raw: Array("\(outline.seconds)".utf8))
                json.array("waveform", of: outline.bars) { $0.integer(Int($1)) }
            }
            guard let picture = file.picture else { return }
            json.field("width", picture.width)
            json.field("height", picture.height)
            // A picture that is small enough is its own thumbnail; of others there may be none.
            let isSmall = max(picture.width, picture.height) <= 300
            guard let small = file.thumbnail ?? (isSmall ? picture : nil) else { return }
            let url = file.thumbnail == nil ? content : links.link(to: file.id, .thumbnail, for: user, at: now)
            json.object("thumbnail") { json in
                json.field("url", url)
                json.field("width", small.width)
                json.field("height", small.height)
            }
        }
    }
}
