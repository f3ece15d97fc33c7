import Arguments
import Client
import System
import Reactor
import Vocabulary
import Web

/// One question to a running server's admin listener, and its answer.
struct AdminCall {
    let address: SocketAddress
    let token: String?

    private static let timeout = Duration.seconds(10)

    /// Waits for the answer; what went wrong is told as the command's failure.
    func send(_ method: HTTPMethod, _ target: String, body: [UInt8] = []) throws(CommandFailure) -> [UInt8] {
        switch try self.outcome(method, target, body) {
        case .success(let answer) where answer.status.isSuccess:
            return answer.body
        case .success(let answer):
            let words = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").first ?? ""
            throw CommandFailure("the server at \(self.address) answered \(answer.status.code): \(words)")
        case .failure(let failure):
            throw CommandFailure(
                "no server at \(self.address): \(failure); start one with 'parley serve', or name it with --admin",
                exitCode: .unavailable)
        }
    }

    private func outcome(
        _ method: HTTPMethod, _ target: String, _ body: [UInt8]
    ) throws(CommandFailure) -> HTTPCall.Outcome {
        let group = try EventLoopGroup.forCommand()
        defer { group.shutDown() }
        let outcome = Locked<HTTPCall.Outcome>(.failure(.stopped))
        let done = Gate()
        group.loops[0].execute { reactor in
            let call = HTTPCall(ServerURL(self.address), on: reactor, rules: HTTPCallRules(maximumBodyBytes: 1 << 24)) {
                result in
                outcome.withLock { $0 = result }
                done.open()
            }
            var fields = HTTPFields()
            if let token = self.token { fields.set("Authorization", to: "Bearer \(token)") }
            call.send(method, target, fields: fields, json: body, timeout: Self.timeout)
        }
        done.wait()
        return outcome.withLock(\.self)
    }
}
