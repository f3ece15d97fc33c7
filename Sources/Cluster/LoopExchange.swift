internal import Clustering
package import Reactor
internal import System
package import Vocabulary

/// The loops of one process on which sessions live, as nodes beside each other: one order for what all of them carry out, and letters between two.
/// Nothing is lost on the way, and no loop ends before the others.
///
/// What a loop says lies in the others' boxes before any client can know of it, and each looks into its box before it answers a client. So
/// clients see the same as with one loop.
package final class LoopExchange: Sendable {
    enum Item: Sendable {
        case change(any LedgerValue, of: RandomToken, serial: UInt64, at: Instant)
        case letter(any LedgerValue)
        case news(NodeNews)
    }

    private struct Clock {
        /// When the first of them began.
        var start: Instant?
        /// Of the last change; time never goes back.
        var last = Instant(nanoseconds: 0)
    }

    package let names: [RandomToken]
    private let loops: [EventLoop]
    /// Held while a change is put into all boxes, so they have the same order everywhere.
    private let clock = Locked(Clock())
    private let boxes: [Locked<[Item]>]
    private let nodes: LoopLocal<LoopNode>

    /// - Parameter names: of the first loops of the group, in their order.
    package init(_ names: [RandomToken], on group: EventLoopGroup) {
        self.names = names
        self.loops = Array(group.loops.prefix(names.count))
        self.boxes = names.map { _ in Locked([]) }
        self.nodes = LoopLocal(group) { LoopNode(names[$0.loop.index], rank: $0.loop.index, on: $0) }
    }

    /// The node of the loop that the caller is on.
    package func node(on reactor: Reactor) -> LoopNode {
        let node = self.nodes.value(on: reactor)
        node.exchange = self
        return node
    }

    /// When all begin, as the first one says.
    func start(at now: Instant) -> Instant {
        self.clock.withLock { clock in
            let start = clock.start ?? now
            clock.start = start
            return start
        }
    }

    /// To all; the node looks into its own box without being woken.
    func append(_ change: any LedgerValue, of node: RandomToken, serial: UInt64, at now: Instant) {
        self.clock.withLock { clock in
            clock.last = max(clock.last, now)
            let item = Item.change(change, of: node, serial: serial, at: clock.last)
            for place in self.boxes.indices { self.put(item, into: place, wakes: self.names[place] != node) }
        }
    }

    func send(_ letter: any LedgerValue, to node: RandomToken) {
        if let place = self.names.firstIndex(of: node) { self.put(.letter(letter), into: place) }
    }

    func publish(_ news: NodeNews, from rank: Int) {
        for place in self.boxes.indices where place != rank { self.put(.news(news), into: place) }
    }

    private func put(_ item: Item, into place: Int, wakes: Bool = true) {
        let isFirst = self.boxes[place].withLock { box in
            box.append(item)
            return box.count == 1
        }
        if isFirst, wakes { self.loops[place].execute { [self] in self.node(on: $0).fetch() } }
    }

    func fetch(for rank: Int) -> [Item] {
        self.boxes[rank].withLock { box in
            guard !box.isEmpty else { return [] }
            let items = box
            box = []
            return items
        }
    }
}
