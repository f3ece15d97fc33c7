internal import ICE

/// Which of our candidates the other side knows of, and those of theirs that came too early.
struct CandidateExchange {
    private var own: [ICECandidate] = []
    var hasAll = false
    /// So many of ours stand in the description that was made last.
    private var describedCount = 0
    /// So many of ours the other side was told.
    private var toldCount = 0
    /// Theirs, for credentials that are still to come; nil says that there are no more.
    private var early: [ICECandidate?] = []

    mutating func add(_ candidate: ICECandidate) { self.own.append(candidate) }

    /// As they stand in descriptions.
    func texts(for fragment: String) -> [String] { self.own.map { $0.named(fragment).text } }

    /// For a description that may be set.
    mutating func describe(for fragment: String) -> [String] {
        self.describedCount = self.own.count
        return self.texts(for: fragment)
    }

    /// The description that was made last has been set.
    mutating func described() { self.toldCount = max(self.toldCount, self.describedCount) }

    /// Those that the other side does not know of yet.
    mutating func takeUntold() -> ArraySlice<ICECandidate> {
        defer { self.toldCount = self.own.count }
        return self.own.dropFirst(self.toldCount)
    }

    /// New credentials have candidates of their own.
    mutating func restart() {
        self.own.removeAll()
        (self.describedCount, self.toldCount) = (0, 0)
    }

    mutating func keepEarly(_ candidate: ICECandidate?, atMost limit: Int) {
        if self.early.count < limit { self.early.append(candidate) }
    }

    mutating func takeEarly() -> [ICECandidate?] {
        defer { self.early = [] }
        return self.early
    }
}

extension ICECandidate {
    /// The same under the name of another session.
    fileprivate func named(_ fragment: String) -> ICECandidate {
        ICECandidate(
            foundation: self.foundation, component: self.component, transport: self.transport,
            priority: self.priority, host: self.host, port: self.port, kind: self.kind, related: self.related,
            usernameFragment: fragment)
    }
}
