internal import CUV

/// The loops of one process: by default one for each core.
package final class EventLoopGroup: Sendable {
    package let loops: [EventLoop]
    /// One more for what nobody waits for: it gives way to the others, and has no listeners.
    package let background: EventLoop?

    fileprivate var all: [EventLoop] { self.loops + [self.background].compactMap(\.self) }

    package init(count: Int? = nil, hasBackground: Bool = false) throws(ReactorError) {
        var loops: [EventLoop] = []
        for index in 0..<(count ?? Self.coreCount) { loops.append(try EventLoop(index: index)) }
        self.loops = loops
        self.background = hasBackground ? try EventLoop(index: loops.count, isBackground: true) : nil
    }

    package static var coreCount: Int { max(1, Int(uv_available_parallelism())) }

    /// Runs `call` on every loop but the one in the background.
    package func execute(_ call: @escaping @Sendable (Reactor) -> Void) {
        for loop in self.loops { loop.execute(call) }
    }

    /// Closes whatever is still open on every loop and waits for the threads. Not from a loop itself.
    package func shutDown() {
        self.close()
        self.join()
    }

    /// Closes whatever is still open on every loop; the threads end by themselves.
    package func close() {
        for loop in self.all { loop.execute { $0.shutDown() } }
    }

    /// Waits until every loop has ended.
    package func join() {
        for loop in self.all { loop.join() }
    }
}

/// One value for each loop, made and touched on that loop only.
package final class LoopLocal<Value>: @unchecked Sendable {
    // Unchecked because each slot belongs to one loop's thread; the array itself never changes its size.
    private final class Slot {
        var value: Value?
    }

    private let slots: [Slot]
    private let make: @Sendable (Reactor, LoopLocal) -> Value

    package convenience init(_ group: EventLoopGroup, make: @escaping @Sendable (Reactor) -> Value) {
        self.init(group) { reactor, _ in make(reactor) }
    }

    /// `make` is also told of the whole, for values that have to find their siblings.
    package init(_ group: EventLoopGroup, make: @escaping @Sendable (Reactor, LoopLocal) -> Value) {
        self.slots = group.all.map { _ in Slot() }
        self.make = make
    }

    /// The value of the loop that the caller is on.
    package func value(on reactor: Reactor) -> Value {
        reactor.loop.checkIsolated()
        let slot = self.slots[reactor.loop.index]
        if let value = slot.value { return value }
        let value = self.make(reactor, self)
        slot.value = value
        return value
    }
}
