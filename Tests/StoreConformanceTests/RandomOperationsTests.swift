import Conversing
import Keeping
import System
import TestSupport
import Testing
import Vocabulary

@Suite("Stores under operations by chance")
struct RandomOperationsTests {
    /// Batches of at most eight.
    private static let batches = 250

    @Test(
        "D04 D18 E04 X21 Every engine answers as the one that remembers nothing, whoever asks for what at the same time",
        .serialized, arguments: Engine.allCases.filter { $0 != .memory }, LongTests.seeds(2, long: 1000))
    func agree(_ engine: Engine, _ seed: UInt64) async throws {
        let (store, model) = (try TestStore(engine), try TestStore(.memory))
        var operations = RandomOperations(seed: seed)
        for index in 0..<Self.batches {
            guard await Self.agree(store, model, operations.batch()) else { return }
            guard index.isMultiple(of: 10) else { continue }
            guard await Self.agree(store, model, operations.look()) else { return }
        }
    }

    private static func agree(_ store: TestStore, _ model: TestStore, _ requests: [any StoreRequest]) async -> Bool {
        let (found, wanted) = (await Self.answers(of: store, to: requests), await Self.answers(of: model, to: requests))
        for (request, (found, wanted)) in zip(requests, zip(found, wanted)) where found != wanted {
            Issue.record("\(request): \(found) instead of \(wanted)")
            return false
        }
        return true
    }

    /// All are asked before the first is answered.
    private static func answers(of store: TestStore, to requests: [any StoreRequest]) async -> [String] {
        let answers = Locked([String](repeating: "", count: requests.count))
        await withCheckedContinuation { continuation in
            let left = Locked(requests.count)
            for (index, request) in requests.enumerated() {
                Self.send(request, to: store) { answer in
                    answers.withLock { $0[index] = answer }
                    let isLast = left.withLock { left in
                        left -= 1
                        return left == 0
                    }
                    if isLast { continuation.resume() }
                }
            }
        }
        return answers.withLock { $0 }
    }

    private static func send(
        _ request: some StoreRequest, to store: TestStore, _ done: @escaping @Sendable (String) -> Void
    ) {
        store.send(request) { result in done(Self.words(result)) }
    }

    /// Who came with a change is told in no order.
    private static func words<Answer>(_ result: Result<Answer, StoreError>) -> String {
        guard case .success(.success(let outcome)) = result as? Result<Verdict<ChangeOutcome>, StoreError> else {
            return "\(result)"
        }
        return "\(outcome.conversation) \(outcome.entry) \(outcome.isRepeated) \(outcome.came.map(\.text).sorted())"
    }
}
