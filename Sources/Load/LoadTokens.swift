internal import Client
internal import JSON
internal import Pathways
internal import Reactor
internal import Secure
internal import System
internal import Vocabulary
internal import Web

/// Where each user has a token from.
struct LoadTokens {
    typealias Completion = (Result<(user: UserID, token: String), LoadFailure>) -> Void

    let plan: LoadPlan
    /// Nobody from an earlier run comes again.
    let run: String
    let reactor: Reactor

    private static let lifetime: Int64 = 86_400
    private static let timeout = Duration.seconds(15)

    func find(for index: Int, _ done: @escaping Completion) {
        switch self.plan.admission {
        case .anonymous: self.ask(index, done)
        case .application(let key): done(self.sign(index, key))
        case .nobody: done(UserID("nobody").map { .success(($0, "")) } ?? .failure(LoadFailure("no name")))
        }
    }

    private func sign(_ index: Int, _ key: SigningKey) -> Result<(user: UserID, token: String), LoadFailure> {
        let now = KernelClock.realTime / 1_000_000_000
        let name = "load-\(self.run)-\(index)"
        var claims = TokenClaims(
            issuer: key.id, subject: name, audience: ["parley"], expiry: now + Self.lifetime, issuedAt: now,
            tokenID: name)
        claims.texts["name"] = "Load \(index)"
        guard let user = UserID(name), let token = try? JSONWebToken.sign(claims, type: "JWT", with: key) else {
            return .failure(LoadFailure("a token could not be signed"))
        }
        return .success((user, token))
    }

    private func ask(_ index: Int, _ done: @escaping Completion) {
        let body = RawJSON { $0.field("name", "Load \(index)") }
        HTTPCall(self.plan.server, on: self.reactor) { outcome in
            switch outcome {
            case .failure(let failure): done(.failure(LoadFailure("sign-in: \(failure)")))
            case .success(let answer): done(Self.read(answer.body, answer.status.code))
            }
        }.send(.post, "/v1/auth/anonymous", json: body.bytes, timeout: Self.timeout)
    }

    private static func read(_ body: [UInt8], _ status: UInt16) -> Result<(user: UserID, token: String), LoadFailure> {
        guard let json = RawJSON(body), let token = json.text("accessToken"),
            let user = json.text("user").flatMap({ UserID($0) })
        else { return .failure(LoadFailure("sign-in: the server answered \(status)")) }
        return .success((user, token))
    }
}

/// Why something could not be done, in words that are counted.
struct LoadFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
