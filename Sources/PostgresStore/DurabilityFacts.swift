internal import Keeping

/// What decides how much an acknowledgement of a PostgreSQL is worth: settings of our session and of the server, and who copies it.
struct DurabilityFacts: Hashable, Sendable {
    enum SynchronousCommit: String, CaseIterable, Sendable {
        case off, local
        case remoteWrite = "remote_write"
        case on
        case remoteApply = "remote_apply"
    }

    var synchronousCommit = SynchronousCommit.on
    var flushes = true
    var writesFullPages = true
    /// Which standbys a commit waits for; empty for none.
    var synchronousStandbys = ""
    /// Standbys and others that are sent the log at this moment.
    var attached = 0

    static let question = """
        SELECT current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'),
            current_setting('synchronous_standby_names'), (SELECT count(*) FROM pg_stat_replication)
        """
}

extension DurabilityFacts {
    /// - Parameter durability: what the server was told to do with.
    func promise(asked durability: StoreDurability) -> StorePromise {
        StorePromise(self.text, risks: self.risks(durability))
    }

    private var waitsForStandby: Bool {
        !self.synchronousStandbys.isEmpty && ![.off, .local].contains(self.synchronousCommit)
    }

    private var text: String {
        guard self.flushes else { return "an acknowledged message is in the memory of the database's machine" }
        switch self.synchronousCommit {
        case .off: return "an acknowledged message is in the memory of the database, and on its disk within a second"
        case .remoteWrite where self.waitsForStandby:
            return "an acknowledged message is on the disk of the database's machine, and in the memory of a standby's"
        case .on where self.waitsForStandby, .remoteApply where self.waitsForStandby:
            return "an acknowledged message is on the disks of the database's machine and of a standby's"
        case .local, .remoteWrite, .on, .remoteApply:
            return "an acknowledged message is on the disk of the database's machine"
        }
    }

    private func risks(_ durability: StoreDurability) -> [String] {
        var risks: [String] = []
        if !self.flushes {
            risks.append("fsync is off: when the database's machine fails, everything may be damaged or lost")
        } else if !self.writesFullPages {
            risks.append("full_page_writes is off: when the database's machine fails, pages may be damaged")
        }
        if self.synchronousCommit == .off {
            let why = durability == .normal ? "--durability normal" : "synchronous_commit is off"
            risks.append("\(why): when the database fails, what was acknowledged in the last second is lost")
        }
        if let risk = self.riskOfStandbys { risks.append(risk) }
        return risks
    }

    private var riskOfStandbys: String? {
        if self.waitsForStandby {
            return self.attached == 0
                ? "no standby is attached, and commits wait for one (synchronous_standby_names): messages are refused"
                : nil
        }
        guard self.synchronousCommit != .off, self.attached > 0 || !self.synchronousStandbys.isEmpty else { return nil }
        let why =
            self.synchronousStandbys.isEmpty ? "synchronous_standby_names is empty" : "synchronous_commit is local"
        return
            "no commit waits for a standby (\(why)): when one takes over, the last acknowledged messages may be missing"
    }
}
