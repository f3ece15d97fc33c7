internal import Identity
internal import Journal
internal import Reactor
internal import Store
internal import Vocabulary

/// What has lost its meaning goes: bans and revoked tokens that have ended, calls and entries that are older than the history.
extension SignallingApplication {
    static func makeHousekeeper(
        _ reactor: Reactor, _ accounts: Accounts, _ store: any CallStore & RetentionStore, _ files: FileDesk,
        _ configuration: ServiceConfiguration, _ journal: Journal
    ) -> Housekeeper {
        let keeper = FileKeeper(files, on: reactor)
        let callHistory = configuration.callHistory
        return Housekeeper(on: reactor) {
            keeper.sweep()
            Self.sweepEntries(EntrySweep(at: SystemClock.now(), usual: configuration.messageHistory), store, journal)
            let oldest = SystemClock.now() + (.zero - callHistory)
            store.forgetCalls(endedBefore: oldest) { Self.swept($0, journal) }
            // The accounts tell the journal themselves when they fail; the next hour is another chance.
            reactor.perform({ try? await accounts.sweep() }, completion: { _ in })
        }
    }

    /// Portion by portion, so that others get their turn in between.
    private static func sweepEntries(_ sweep: EntrySweep, _ store: any RetentionStore, _ journal: Journal) {
        store.sweepEntries(sweep) { result in
            Self.swept(result.map(\.count), journal)
            guard case .success(let swept) = result, let next = swept.next else { return }
            var sweep = sweep
            sweep.start = next
            Self.sweepEntries(sweep, store, journal)
        }
    }

    private static func swept(_ result: Result<Int, StoreError>, _ journal: Journal) {
        switch result {
        case .success(let count):
            journal.debug(.historySwept, "what is older than the history was forgotten", [.count: .integer(count)])
        case .failure(let error):
            journal.error(
                .historyNotSwept, "what is older than the history could not be forgotten", [.error: .error(error)])
        }
    }
}

extension LogName {
    static let historySwept = LogName("history.swept")
    static let historyNotSwept = LogName("history.not_swept")
}
