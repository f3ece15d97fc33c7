internal import HTTPServer
internal import Identity
internal import JSON
internal import Keeping
internal import Operations
internal import Reactor
internal import Switchboard
internal import Vocabulary
internal import Web

/// One request of a program, and its answer.
final class RongCloudVisit {
    let exchange: HTTPExchange
    let dependencies: DoorDependencies
    private let desk: RongCloudDesk
    /// The app key of the program.
    private(set) var key = ""

    init(_ exchange: HTTPExchange, _ desk: RongCloudDesk, _ dependencies: DoorDependencies) {
        self.exchange = exchange
        self.desk = desk
        self.dependencies = dependencies
    }

    /// Also where a proxy in front is who speaks TLS.
    var isEncrypted: Bool { self.exchange.isSecure }

    var chat: ChatService { self.dependencies.chat }

    func attempt(_ work: () throws(RongCloudProblem) -> Void) {
        do throws(RongCloudProblem) {
            try work()
        } catch {
            self.refuse(error)
        }
    }

    /// Whoever shows wrong signatures again and again has to wait, as for any other secret.
    func admit(_ keys: RongCloudKeys) throws(RongCloudProblem) {
        let signature = try RongCloudSignature(self.exchange.request.fields)
        let secret = keys.secret(of: signature.key)
        do throws(IdentityRefusal) {
            try self.dependencies.accounts.attempt(from: self.exchange.client) {
                secret.map { signature.isSigned(with: $0) } ?? false
            }
        } catch {
            if case .tooManyAttempts(let wait) = error { throw .tooMany("wrong signatures", retryAfter: wait) }
            throw secret == nil ? .unknownKey : .notSigned("the signature does not fit the secret of this app key")
        }
        try signature.checkAge(at: self.chat.now)
        try self.desk.takeOnce(signature, at: self.chat.now)
        self.key = signature.key
        try self.take(1, of: .requests)
    }

    func take(_ count: Int, of rate: RongCloudRate) throws(RongCloudProblem) {
        try self.desk.take(count, of: rate, self.key, at: self.dependencies.board.now)
    }

    // MARK: - Answers

    func answer(_ members: (inout JSONWriter) -> Void = { _ in }) {
        let json = JSONWriter.object { json in
            json.field("code", 200)
            members(&json)
        }
        self.respond(.json(.ok, json))
    }

    func refuse(_ problem: RongCloudProblem) {
        var response = HTTPResponse.json(problem.httpStatus, problem.json(for: self.exchange.request.path))
        if let wait = problem.retryAfter { response.setRetryAfter(wait) }
        self.respond(response)
    }

    private func respond(_ response: HTTPResponse) {
        var response = response
        if let id = self.exchange.request.fields[Self.requestID], id.utf8.count <= Self.maximumRequestID {
            response.head.fields.set(Self.requestID, to: id)
        }
        response.head.fields.set(.cacheControl, to: "no-store")
        self.exchange.respond(response)
    }

    private static let requestID: HTTPFieldName = "X-Request-Id"
    private static let maximumRequestID = 128

    // MARK: - What is asked elsewhere

    /// What goes wrong is answered; the rest goes on.
    func unlessRefused<Value>(
        _ result: Result<Value, RequestError>, _ work: (Value) throws(RongCloudProblem) -> Void
    ) {
        self.attempt { () throws(RongCloudProblem) in
            switch result {
            case .success(let value): try work(value)
            case .failure(let error): throw RongCloudProblem(error)
            }
        }
    }

    func fetch<Request: StoreRequest>(
        _ request: Request, _ work: @escaping (Request.Answer) throws(RongCloudProblem) -> Void
    ) {
        self.chat.fetch(request, isPatient: true) { self.unlessRefused($0, work) }
    }

    // MARK: - What the door keeps beside conversations

    func find(_ places: [DoorRecord.Place], _ work: @escaping ([DoorRecord]) throws(RongCloudProblem) -> Void) {
        self.fetch(FindDoorRecords(places), work)
    }

    func list(_ book: String, limit: Int, _ work: @escaping ([DoorRecord]) throws(RongCloudProblem) -> Void) {
        self.fetch(ListDoorRecords(in: [book], limit: limit), work)
    }

    /// Answers when it is written, unless something else is to be done then.
    func write(
        _ records: [DoorRecord] = [], removing removed: [DoorRecord.Place] = [], maximum: Int = .max,
        _ done: (() throws(RongCloudProblem) -> Void)? = nil
    ) {
        self.fetch(WriteDoorRecords(records, removing: removed, maximum: maximum)) { fits throws(RongCloudProblem) in
            guard fits else { throw .tooManyKept(maximum) }
            guard let done else { return self.answer() }
            try done()
        }
    }

    func record(_ book: String, _ name: String, _ value: String = "", of user: UserID? = nil) -> DoorRecord {
        DoorRecord(.init(book, name), value, of: user, at: self.chat.now)
    }

    /// Of the accounts, which know more threads than this loop.
    func await<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(IdentityRefusal) -> Value,
        _ completion: @escaping (Value) throws(RongCloudProblem) -> Void
    ) {
        self.exchange.reactor.perform(
            { () -> Result<Value, IdentityRefusal> in
                do throws(IdentityRefusal) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            },
            completion: { result in
                self.attempt { () throws(RongCloudProblem) in
                    switch result {
                    case .success(let value): try completion(value)
                    case .failure(let error): throw RongCloudProblem(error)
                    }
                }
            })
    }
}

extension RongCloudProblem {
    init(_ refusal: IdentityRefusal) {
        switch refusal {
        case .closed: self = .notOffered("users of programs: that way to sign in is closed")
        case .deleted: self = .restricted("this user was deleted")
        case .unavailable: self = .unavailable
        default: self = .restricted("\(refusal)")
        }
    }
}
