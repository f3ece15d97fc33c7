import Arguments
import Client
import Pathways
import Reactor
import Vocabulary

/// Places calls and takes them, on a connection to the server.
struct CallConsole: Sendable {
    private let client: ParleyClient
    private let loop: EventLoop

    init(_ client: ParleyClient, on loop: EventLoop) {
        self.client = client
        self.loop = loop
    }

    func place(_ target: CallTarget, _ plan: CallPlan) async throws(CommandFailure) -> CallReport {
        switch target {
        case .user(let name):
            switch try await PersonSearch(self.client).find(name) {
            case .success(let person): return try await self.carryOut(CallRun(self.frame(plan), to: person))
            case .failure(.several(let words)): throw CommandFailure(words)
            case .failure(.nobody(let words)):
                Terminal.complain("parley call: \(words)")
                return CallReport(end: .offline, callee: name)
            }
        case .room(let room): return try await self.carryOut(RoomRun(self.frame(plan), in: room))
        }
    }

    func frame<Outcome>(_ plan: CallPlan) -> RunFrame<Outcome> {
        RunFrame(client: self.client, loop: self.loop, plan: plan)
    }

    func carryOut<Run: ClientRun>(_ run: Run) async throws(CommandFailure) -> Run.Outcome {
        let servers = try await self.client.asking { client throws(ClientError) in
            try await client.iceServers()
        }.advised
        let (events, loop) = (self.client.events, self.loop)
        let listening = Task(executorPreference: loop) {
            for await event in events { loop.execute { _ in run.heard(event) } }
        }
        defer { listening.cancel() }
        let result = await withCheckedContinuation { continuation in
            loop.execute { reactor in
                run.start(on: reactor, servers: servers) { continuation.resume(returning: $0) }
            }
        }
        return try result.get()
    }
}

extension ParleyClient {
    /// Asks the server, and goes on with what it answers on the loop it was asked on.
    func ask<Value: Sendable>(
        on loop: EventLoop, _ question: @escaping @Sendable (ParleyClient) async throws(ClientError) -> Value,
        then: @escaping (Result<Value, ClientError>) -> Void = { _ in }
    ) {
        loop.checkIsolated()
        // Called on the loop it was made on.
        nonisolated(unsafe) let then = then
        Task(executorPreference: loop) {
            let result: Result<Value, ClientError>
            do throws(ClientError) {
                result = .success(try await question(self))
            } catch {
                result = .failure(error)
            }
            loop.execute { _ in unsafe then(result) }
        }
    }
}
