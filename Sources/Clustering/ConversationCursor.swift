/// How far one node has told a conversation to those who listen there. Whoever wrote an entry, on whichever node, it is told in the
/// order of the numbers and once: what is early waits until what is missing was read.
///
///     wrote(6) while 4 was told ──▶ fetch 5 ──fetched──▶ tell 5, tell 6
package struct ConversationCursor<News> {
    package enum Order {
        /// `isFirst`: it was told to nobody here before.
        case tell(News, isFirst: Bool)
        /// The caller answers with `fetched` or `failed`.
        case fetch(after: UInt64, through: UInt64)
    }

    /// The last number that was told; nil as long as nobody who listens knows one.
    package private(set) var told: UInt64?
    /// The last one that was ever told; whoever knows less is told earlier ones again.
    package private(set) var furthest: UInt64
    /// The last one that is known to be written.
    private var written: UInt64 = 0
    private var held: [UInt64: News] = [:]
    package private(set) var isFetching = false

    package init(told: UInt64?) {
        self.told = told
        self.furthest = told ?? 0
    }

    /// This node has an entry in its hands. False when it was told before.
    package mutating func wrote(_ number: UInt64, _ news: News, _ orders: inout [Order]) -> Bool {
        let told = self.told ?? number - 1
        self.told = told
        guard number > told else { return false }
        self.held[number] = news
        self.heard(number, &orders)
        return true
    }

    /// There is an entry of this number.
    package mutating func heard(_ number: UInt64, _ orders: inout [Order]) {
        self.told = self.told ?? (number - 1)
        self.written = max(self.written, number)
        self.advance(&orders)
    }

    /// What was asked for. An entry that is no more is passed over.
    ///
    /// - Parameters:
    ///   - news: in the order of their numbers.
    ///   - start: the last number before them.
    ///   - end: up to here they are all there are.
    package mutating func fetched(
        _ news: [(number: UInt64, news: News)], after start: UInt64, through end: UInt64, _ orders: inout [Order]
    ) {
        self.isFetching = false
        // Else somebody came meanwhile who knows less: what lies before is read first.
        if self.told == start {
            for (number, news) in news { self.tell(number, self.held.removeValue(forKey: number) ?? news, &orders) }
            self.passed(max(start, end))
        }
        self.advance(&orders)
    }

    /// What was asked for could not be read; the next number that is heard of asks again. What waits for it is returned.
    package mutating func failed() -> [News] {
        self.isFetching = false
        return self.held.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Somebody listens who knows less.
    package mutating func rewind(to number: UInt64) {
        if let told = self.told { self.written = max(self.written, told) }
        self.told = min(self.told ?? number, number)
    }

    /// Asks for what is missing, if anything is.
    package mutating func advance(_ orders: inout [Order]) {
        guard var told = self.told, !self.isFetching else { return }
        while let next = self.held.removeValue(forKey: told + 1) {
            told += 1
            self.tell(told, next, &orders)
        }
        self.passed(told)
        self.held = self.held.filter { $0.key > told }
        guard self.written > told else { return }
        self.isFetching = true
        let end = self.held.keys.min().map { $0 - 1 } ?? self.written
        orders.append(.fetch(after: told, through: end))
    }

    private mutating func tell(_ number: UInt64, _ news: News, _ orders: inout [Order]) {
        orders.append(.tell(news, isFirst: number > self.furthest))
        self.furthest = max(self.furthest, number)
    }

    private mutating func passed(_ number: UInt64) {
        self.told = number
        self.furthest = max(self.furthest, number)
    }
}
