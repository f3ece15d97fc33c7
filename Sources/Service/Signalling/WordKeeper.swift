internal import Conversing
internal import Keeping
internal import Switchboard
internal import System

/// Keeps the filter in step with the operator's rules in the store.
final class WordKeeper: Sendable {
    let filter = WordFilter(kept: DoorList.keptFields)
    private let store: any Store
    /// How often the rules were asked for, and which answer is in use.
    private let state = Locked((asked: 0, used: 0))
    private let onChange = Locked<(@Sendable () -> Void)?>(nil)

    /// Waits for the store.
    init(_ store: any Store) throws {
        self.store = store
        self.filter.use(WordRules(try store.waitForAnswer(to: ListWordRules())))
    }

    /// False when the store did not take it, or the rules could not be read.
    func change<Request: StoreRequest>(_ request: Request) async -> Bool? where Request.Answer == Bool {
        guard case .success(let isDone) = await self.store.answer(to: request) else { return nil }
        guard await self.reload() else { return nil }
        self.onChange.withLock { $0 }?()
        return isDone
    }

    /// - Parameter onChange: called when the rules were changed here, to tell the other nodes.
    func publish(_ onChange: @escaping @Sendable () -> Void) { self.onChange.withLock { $0 = onChange } }

    /// False when the store does not answer; the old rules stay in use then.
    @discardableResult
    func reload() async -> Bool {
        let turn = self.state.withLock { state in
            state.asked += 1
            return state.asked
        }
        guard case .success(let found) = await self.store.answer(to: ListWordRules()) else { return false }
        let rules = WordRules(found)
        self.state.withLock { state in
            // A later question has seen more.
            guard turn > state.used else { return }
            state.used = turn
            self.filter.use(rules)
        }
        return true
    }
}
