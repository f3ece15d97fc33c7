internal import Journal
internal import Keeping
internal import System

/// Whether the service lives, and whether it should be given work.
///
/// Living never depends on anybody else: a service that is cut off from a dependency must not be killed for it.
package final class Health: Sendable {
    private let reasons = Locked<[String]>(["the service is starting"])
    private let conditions = Locked<[@Sendable () -> String?]>([])

    /// What an acknowledged message outlives, where it is another program that keeps it.
    private let promise = Locked<StorePromise?>(nil)
    /// Why nothing can be kept now.
    private let loss = Locked<String?>(nil)

    /// What does not work, and keeps nobody away.
    private let warnings = Locked<[String: String]>([:])

    package init() {}

    /// Why the service should not be given work now; empty when it should.
    package var whyNotReady: [String] {
        self.reasons.withLock { $0 } + self.conditions.withLock { $0 }.compactMap { $0() }
            + [self.loss.withLock(\.self)].compactMap(\.self)
    }

    /// Asked whenever somebody wants to know: says why not, or nothing.
    func require(_ condition: @escaping @Sendable () -> String?) { self.conditions.withLock { $0.append(condition) } }

    func started() { self.reasons.withLock { $0 = [] } }
    func stopping() { self.reasons.withLock { $0 = ["the service is shutting down"] } }

    /// What is said beside being ready, a line for each: nobody is sent away for it.
    var remarks: [String] {
        let warnings = self.warnings.withLock { $0.sorted { $0.key < $1.key }.map { "warning: \($0.value)" } }
        guard let promise = self.promise.withLock(\.self) else { return warnings }
        return [promise.text] + promise.risks.map { "warning: \($0)" } + warnings
    }

    /// - Parameter subject: of which there is one warning at most.
    func set(warning: String?, of subject: String) { self.warnings.withLock { $0[subject] = warning } }

    func heard(_ event: StoreEvent, _ journal: Journal) {
        switch event {
        case .promise(let promise): self.heard(promise, journal)
        case .lost(let reason):
            self.loss.withLock { $0 = "messages wait: \(reason)" }
            journal.warning(.storeLost, "the database does not answer", [.reason: .plain(reason)])
        case .back:
            self.loss.withLock { $0 = nil }
            journal.notice(.storeBack, "the database answers again")
        }
    }

    private func heard(_ promise: StorePromise, _ journal: Journal) {
        self.promise.withLock { $0 = promise }
        journal.notice(.storePromise, "what an acknowledgement is worth", [.promise: .plain(promise.text)])
        for risk in promise.risks {
            journal.warning(.storeRisk, "messages that were acknowledged could be lost", [.reason: .plain(risk)])
        }
    }
}

extension LogName {
    static let storePromise = LogName("store.promise")
    static let storeRisk = LogName("store.risk")
    static let storeLost = LogName("store.lost")
    static let storeBack = LogName("store.back")
}

extension LogKey {
    static let promise = LogKey("promise")
}
