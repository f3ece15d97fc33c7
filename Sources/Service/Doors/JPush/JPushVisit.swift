internal import HTTPServer
internal import Identity
internal import JSON
internal import Keeping
internal import Reactor
internal import Switchboard
internal import Vocabulary
internal import Web

/// One request of a program, and its answer.
final class JPushVisit {
    let exchange: HTTPExchange
    let parameters: PathParameters
    let part: JPushProblem.Part
    let dependencies: DoorDependencies
    private let desk: JPushDesk
    /// The app key of the program.
    private(set) var key = ""
    private var left: JPushQuota.Left?

    init(
        _ exchange: HTTPExchange, _ parameters: PathParameters, _ part: JPushProblem.Part, _ desk: JPushDesk,
        _ dependencies: DoorDependencies
    ) {
        self.exchange = exchange
        self.parameters = parameters
        self.part = part
        self.desk = desk
        self.dependencies = dependencies
    }

    func attempt(_ work: () throws(JPushProblem) -> Void) {
        do throws(JPushProblem) {
            try work()
        } catch {
            self.refuse(error)
        }
    }

    /// Whoever shows wrong keys again and again has to wait, as for any other secret.
    func admit(_ keys: JPushKeys) throws(JPushProblem) {
        var found: Result<String, JPushProblem> = .failure(.noCredentials(self.part))
        do throws(IdentityRefusal) {
            try self.dependencies.accounts.attempt(from: self.exchange.client) {
                found = keys.key(of: self.exchange.request.fields[.authorization], self.part)
                return (try? found.get()) != nil
            }
        } catch {
            if case .tooManyAttempts(let wait) = error { throw .tooManyWrongKeys(wait) }
        }
        self.key = try found.get()
        let left = self.desk.take(self.key, self.part, at: self.dependencies.board.now)
        self.left = left
        if left.isOver { throw .tooMany }
    }

    var announcer: JPushAnnouncer {
        get throws(JPushProblem) {
            guard let announcer = self.desk.announcer else {
                throw .notOffered("pushes: they are switched off")
            }
            return announcer
        }
    }

    var scheduler: JPushScheduler? { self.desk.scheduler }

    /// Those that the request is about: all where it does not say.
    var platforms: Set<JPushPlatform> {
        get throws(JPushProblem) {
            guard let text = self.query?["platform"], !text.isEmpty, text != "all" else {
                return Set(JPushPlatform.allCases)
            }
            let names = text.split(separator: ",").map { String($0) }
            guard names.allSatisfy(JPushRequest.Platforms.known.contains) else {
                throw .wrongDeviceValue("'platform' must be names with commas between them")
            }
            return Set(names.compactMap { JPushPlatform(rawValue: $0) })
        }
    }

    var query: QueryItems? { QueryItems(self.exchange.request.query ?? "") }

    // MARK: - Answers

    func answer(_ members: (inout JSONWriter) -> Void) { self.respond(.json(.ok, JSONWriter.object(members))) }

    func answer(json: [UInt8]) { self.respond(.json(.ok, json)) }

    func answerNothing() { self.respond(HTTPResponse(.ok)) }

    func refuse(_ problem: JPushProblem) {
        var response = HTTPResponse.json(problem.status, problem.json)
        if let wait = problem.retryAfter { response.setRetryAfter(wait) }
        self.respond(response)
    }

    private func respond(_ response: HTTPResponse) {
        var response = response
        if let left = self.left {
            response.head.fields.set("X-Rate-Limit-Quota", to: "\(left.quota)")
            response.head.fields.set("X-Rate-Limit-Remaining", to: "\(left.remaining)")
            response.head.fields.set("X-Rate-Limit-Reset", to: "\(left.reset)")
        }
        response.head.fields.set(.cacheControl, to: "no-store")
        self.exchange.respond(response)
    }

    func ask<Request: StoreRequest>(_ request: Request, _ answered: @escaping (Request.Answer) -> Void) {
        self.fetch(request) { result in
            switch result {
            case .success(let answer): answered(answer)
            case .failure(let problem): self.refuse(problem)
            }
        }
    }

    func fetch<Request: StoreRequest>(
        _ request: Request, _ answered: @escaping (Result<Request.Answer, JPushProblem>) -> Void
    ) {
        let part = self.part
        self.dependencies.store.send(
            request, self.dependencies.reactor.returning { result in answered(result.mapError { _ in .busy(part) }) })
    }
}
