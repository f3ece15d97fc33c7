internal import Identity
internal import Journal
internal import Reactor
internal import Store
internal import Vocabulary

/// What has lost its meaning goes: bans and revoked tokens that have ended, calls that are older than the history.
extension SignallingApplication {
    static func makeHousekeeper(
        _ reactor: Reactor, _ accounts: Accounts, _ store: any CallStore, _ files: FileDesk, callHistory: Duration,
        _ journal: Journal
    ) -> Housekeeper {
        let keeper = FileKeeper(files, on: reactor)
        return Housekeeper(on: reactor) {
            keeper.sweep()
            let oldest = SystemClock.now() + (.zero - callHistory)
            store.forgetCalls(endedBefore: oldest) { Self.swept($0, journal) }
            // The accounts tell the journal themselves when they fail; the next hour is another chance.
            reactor.perform({ try? await accounts.sweep() }, completion: { _ in })
        }
    }

    private static func swept(_ result: Result<Int, StoreError>, _ journal: Journal) {
        switch result {
        case .success(let count):
            journal.debug(.historySwept, "calls older than the history were forgotten", [.count: .integer(count)])
        case .failure(let error):
            journal.error(.historyNotSwept, "old calls could not be forgotten", [.error: .error(error)])
        }
    }
}

extension LogName {
    static let historySwept = LogName("history.swept")
    static let historyNotSwept = LogName("history.not_swept")
}
