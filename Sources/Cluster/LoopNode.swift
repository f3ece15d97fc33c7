package import Clustering
internal import Reactor
package import Vocabulary

/// One loop as a node beside the other loops of its process.
package final class LoopNode: Ledger, Post, EndOfTurn {
    package let node: RandomToken
    package let rank: Int
    package var onNews: ([NodeNews]) -> Void = { _ in }
    /// Never called: nothing is lost between loops.
    package var onGap: () -> Void = {}
    package var onDuty: () -> Void = {}
    /// Never called.
    package var onDutyLost: () -> Void = {}
    /// Which owns it.
    weak var exchange: LoopExchange?

    private let reactor: Reactor
    private weak var reader: (any LedgerReader)?
    private var lastSerial: UInt64 = 0
    private var isFetching = false
    private var hasSaid = false

    init(_ node: RandomToken, rank: Int, on reactor: Reactor) {
        (self.node, self.rank, self.reactor) = (node, rank, reactor)
    }

    package var isAlone: Bool { false }
    package var othersGoOn: Bool { false }
    package var hasPeers: Bool { true }
    package var isOnDuty: Bool { self.rank == 0 }

    /// What the others have said before waited for this.
    package func start(_ reader: any LedgerReader) {
        guard let exchange = self.exchange else { return }
        self.reader = reader
        reader.enteredLedger(mayHaveMissed: false, at: exchange.start(at: self.reactor.instant))
        if self.isOnDuty { self.onDuty() }
        self.fetch()
    }

    package func append(_ change: any LedgerValue) -> UInt64? {
        self.lastSerial += 1
        self.exchange?.append(change, of: self.node, serial: self.lastSerial, at: self.reactor.instant)
        if !self.hasSaid { self.reactor.atEndOfTurn(self) }
        self.hasSaid = true
        return self.lastSerial
    }

    package func turnEnded() {
        self.hasSaid = false
        self.fetch()
    }

    @discardableResult
    package func send(_ letter: any LedgerValue, to node: RandomToken) -> Bool {
        self.exchange?.send(letter, to: node)
        return true
    }

    package func publish(_ news: NodeNews) { self.exchange?.publish(news, from: self.rank) }

    /// Carries out what is in the box. Called before anything is answered, and when something new comes.
    package func fetch() {
        guard !self.isFetching, let exchange = self.exchange, let reader = self.reader else { return }
        self.isFetching = true
        defer { self.isFetching = false }
        for item in exchange.fetch(for: self.rank) {
            switch item {
            case .change(let change, let node, let serial, let time):
                reader.carryOut(change, of: node, serial: serial, at: time)
            case .letter(let letter): reader.received(letter)
            case .news(let news): self.onNews([news])
            }
        }
    }
}
