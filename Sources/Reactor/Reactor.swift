internal import CSockets
internal import CUV
package import Vocabulary

/// Something that has gathered work in this turn and does it once at the turn's end.
package protocol EndOfTurn: AnyObject {
    func turnEnded()
}

/// The inside of a loop: its sockets, timers and buffers. Lives and dies on the loop's thread.
///
/// A turn goes: sockets that are ready, calls handed in from outside, timers whose time has come, then jobs of
/// tasks and actors, and last everything that was gathered, in one write for each connection.
@safe package final class Reactor {
    package let loop: EventLoop
    let uv: UnsafeMutablePointer<uv_loop_t>
    /// Every socket of the loop reads into it, one after another.
    let readBuffer: UnsafeMutableBufferPointer<UInt8>
    /// Every connection of the loop gathers its writes here, one after another.
    let writeVector: UnsafeMutableBufferPointer<iovec>
    var chunks = ChunkPool()
    /// Made for the first UDP socket.
    private(set) lazy var datagrams = DatagramPool()

    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    private let idle: UnsafeMutablePointer<uv_idle_t>
    private let alarm: UnsafeMutablePointer<uv_timer_t>
    private var isIdling = false
    private var timers: TimerWheel<TimerBody>
    private var alarmDeadline: UInt64?
    /// The alarm rang late, and the sockets are looked at before timers fire.
    private var isCatchingUp = false
    private var gathered: [any EndOfTurn] = []
    private var gatheredHead = 0
    private var pause = GatheringPause()
    private var unhurried = FIFO<() -> Void>()
    private var newcomers = NewcomerQueue<TCPConnection>(budget: Reactor.newcomerNanoseconds, longestWait: .max)
    /// Who is served now came while too many waited.
    private var isServingLate = false
    /// Since when something has been gathered in this turn, as far as anybody looked; or was written in its middle.
    private var gatheredSince: UInt64 = 0

    /// A broadcast to ten thousand is many milliseconds of system calls; after so many writes the loop looks at
    /// its sockets again before it goes on.
    private static let writesPerTurn = 2048
    /// When thousands come or go at once, those who stay wait for this long in each turn, and not until all is done.
    private static let unhurriedNanoseconds: UInt64 = 500_000
    /// What newcomers may take of one turn.
    private static let newcomerNanoseconds: UInt64 = 500_000
    /// What was written waits for no longer than this, however many sockets are ready.
    private static let latestFlush: UInt64 = 1_000_000
    static let readBufferSize = 65_536

    init(loop: EventLoop, wakeUp: WakeUp) throws(ReactorError) {
        self.loop = loop
        unsafe self.uv = .allocate(capacity: 1)
        let code = unsafe uv_loop_init(self.uv)
        guard code == 0 else { throw ReactorError(.start, code: code, "an event loop") }
        unsafe self.readBuffer = .allocate(capacity: Self.readBufferSize)
        unsafe self.readBuffer.initialize(repeating: 0)
        unsafe self.writeVector = .allocate(capacity: 64)
        unsafe self.writeVector.initialize(repeating: iovec())
        unsafe self.prepare = .allocate(capacity: 1)
        unsafe self.idle = .allocate(capacity: 1)
        unsafe self.alarm = .allocate(capacity: 1)
        self.timers = TimerWheel(startingAt: unsafe uv_now(self.uv))
        self.startHandles()
        // It lives for as long as its handle.
        _ = try unsafe WakeUpWatch(wakeUp, on: self.uv) { [unowned loop] in loop.drainInbox() }
    }

    deinit {
        unsafe uv_loop_close(self.uv)
        unsafe self.uv.deallocate()
        unsafe self.readBuffer.deallocate()
        unsafe self.writeVector.deallocate()
        unsafe self.prepare.deallocate()
        unsafe self.idle.deallocate()
        unsafe self.alarm.deallocate()
    }

    private func startHandles() {
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe uv_prepare_init(self.uv, self.prepare)
        unsafe uv_idle_init(self.uv, self.idle)
        unsafe uv_timer_init(self.uv, self.alarm)
        unsafe self.prepare.pointee.data = unsafe me
        unsafe self.alarm.pointee.data = unsafe me
        unsafe uv_prepare_start(self.prepare) { unsafe Reactor.from($0?.pointee.data)?.endTurn() }
    }

    static func from(_ data: UnsafeMutableRawPointer?) -> Reactor? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<Reactor>.fromOpaque(data).takeUnretainedValue()
    }

    func run() {
        unsafe uv_run(self.uv, UV_RUN_DEFAULT)
    }

    /// Lends the loop's read buffer to `body` as far as it was filled.
    func withReadBuffer(_ count: Int, _ body: (inout MutableSpan<UInt8>) -> Void) {
        var view = unsafe MutableSpan(_unsafeStart: self.readBuffer.baseAddress.unsafelyUnwrapped, count: count)
        body(&view)
    }
}

// MARK: - The end of a turn

extension Reactor {
    /// Asks for one call at the end of this turn. Ask once a turn: the list is not searched.
    package func atEndOfTurn(_ worker: any EndOfTurn) {
        self.gathered.append(worker)
    }

    /// Calls `body` at the end of this turn or, when there is more of the kind, of one of the next.
    package func withoutHurry(_ body: @escaping () -> Void) {
        self.unhurried.append(body)
    }

    private func endTurn() {
        // First what those who are in have said to each other.
        if !self.newcomers.isEmpty { _ = self.flushGathered() }
        let newcomersLeft = self.runNewcomers()
        let unhurriedLeft = self.runUnhurried()
        let jobsLeft = self.loop.runLocalJobs()
        let writesLeft = self.flushGathered()
        self.gatheredSince = 0
        self.setIdling(newcomersLeft || unhurriedLeft || jobsLeft || writesLeft)
        self.armAlarm()
        if !self.isIdling { self.pause.turnEnded() }
    }

    /// A few have come, and others will soon: lets them come before the next look.
    func gather() { self.pause.request() }

    /// Called between two sockets of one turn: when thousands are ready, what was said before does not wait for the last.
    func flushIfLate() {
        guard !self.gathered.isEmpty else { return }
        let now = uv_hrtime()
        if self.gatheredSince == 0 { self.gatheredSince = now }
        guard now &- self.gatheredSince > Self.latestFlush else { return }
        _ = self.flushGathered()
        self.gatheredSince = 0
    }

    private func runUnhurried() -> Bool {
        guard !self.unhurried.isEmpty else { return false }
        let end = uv_hrtime() &+ Self.unhurriedNanoseconds
        while let body = self.unhurried.popFirst() {
            body()
            if uv_hrtime() >= end { break }
        }
        return !self.unhurried.isEmpty
    }

    private func flushGathered() -> Bool {
        let end = self.gatheredHead + Self.writesPerTurn
        while self.gatheredHead < self.gathered.count, self.gatheredHead < end {
            self.gathered[self.gatheredHead].turnEnded()
            self.gatheredHead += 1
        }
        guard self.gatheredHead == self.gathered.count else { return true }
        self.gathered.removeAll(keepingCapacity: self.gathered.capacity <= 4096)
        self.gatheredHead = 0
        return false
    }

    /// While work is left the loop must look at its sockets without waiting for them.
    private func setIdling(_ wanted: Bool) {
        guard wanted != self.isIdling else { return }
        self.isIdling = wanted
        if wanted { unsafe uv_idle_start(self.idle) { _ in } } else { unsafe uv_idle_stop(self.idle) }
    }
}

// MARK: - Newcomers

/// A connection whose client is not in yet has to wait when many come at once; see `NewcomerQueue`.
extension Reactor {
    /// How many connections wait until what they brought is read.
    package var newcomersWaiting: Int { self.newcomers.count }

    /// Who would wait for longer is to be told to come later.
    package func setLongestWait(ofNewcomers wait: Duration) {
        self.newcomers.longestWait = wait.wholeMilliseconds &* 1_000_000
    }

    /// While one is served that came when too many waited: how long it may stay away. Else nil.
    package func waitOfLateNewcomer() -> Duration? {
        guard self.isServingLate else { return nil }
        return .nanoseconds(Int64(clamping: self.newcomers.waitOfNext(at: uv_hrtime())))
    }

    /// Reads what a newcomer has sent: now, or when it is its turn. Says whether it has to wait.
    func serveOrKeep(_ connection: TCPConnection) -> Bool {
        guard self.newcomers.takesAtOnce else {
            self.newcomers.append(connection)
            return true
        }
        self.serve(connection)
        return false
    }

    private func serve(_ connection: TCPConnection) {
        let start = uv_hrtime()
        connection.readAsNewcomer()
        self.newcomers.served(in: uv_hrtime() &- start)
    }

    /// Says whether some have to wait for the next turn.
    private func runNewcomers() -> Bool {
        while let item = self.newcomers.next() {
            self.isServingLate = item.isLate
            self.serve(item.work)
        }
        self.isServingLate = false
        self.newcomers.turnEnded(at: uv_hrtime())
        return !self.newcomers.isEmpty
    }
}

// MARK: - Time

extension Reactor {
    /// Milliseconds of a steady clock, as of this turn.
    package var now: UInt64 { unsafe uv_now(self.uv) }

    /// Calls `body` once after `delay`, to the millisecond.
    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken {
        self.timers.start(at: self.now &+ delay.wholeMilliseconds, TimerBody(call: body))
    }

    package func cancel(_ token: TimerToken) {
        self.timers.cancel(token)
    }

    package var timerCount: Int { self.timers.count }

    /// The wheel's next deadline is looked up once a turn, not at every start and cancel.
    private func armAlarm() {
        guard let deadline = self.timers.nextDeadline, deadline != self.alarmDeadline else { return }
        self.alarmDeadline = deadline
        let delay = deadline > self.now ? deadline - self.now : 0
        unsafe uv_timer_start(self.alarm, { unsafe Reactor.from($0?.pointee.data)?.alarmRang() }, delay, 0)
    }

    /// A timer that fires so much too late is told after what the sockets have.
    private static let longestLateness: UInt64 = 500

    /// Where the loop stood still (a paused machine, a long turn), what came meanwhile is read first: many a timer is about what
    /// did not come. `armAlarm` has it ring again in the next turn.
    private func alarmRang() {
        let deadline = self.alarmDeadline.take() ?? self.now
        self.isCatchingUp = !self.isCatchingUp && self.now > deadline &+ Self.longestLateness
        guard !self.isCatchingUp else { return }
        while let timer = self.timers.popDue(at: self.now) { timer.call() }
    }
}

extension Duration {
    /// Rounded up, so that nothing fires early; never negative.
    package var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = self.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) &* 1000 &+ UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

// MARK: - The end of the loop

extension Reactor {
    /// Closes every handle of the loop, whoever owns it; the thread ends when the last one is gone.
    package func shutDown() {
        unsafe uv_walk(self.uv, { handle, _ in unsafe Reactor.closeForGood(handle) }, nil)
    }

    private static func closeForGood(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
        guard let handle = unsafe handle, unsafe uv_is_closing(handle) == 0 else { return }
        if let owner = unsafe HandleOwner.of(handle) { owner.loopEnds() } else { unsafe uv_close(handle, nil) }
    }
}

extension Reactor {
    /// Lets `work` wait for other threads without keeping the loop, and hands its result to `completion` here.
    ///
    /// For what is asked seldom: signing in, storage. What every frame does stays synchronous.
    package func perform<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value, completion: @escaping (Value) -> Void
    ) {
        let loop = self.loop
        let ticket = ReturnTicket(completion)
        Task(executorPreference: loop) {
            let value = await work()
            loop.execute { _ in ticket.redeem(value) }
        }
    }
}

extension Reactor {
    /// A function for another thread to call, once: what it is given comes to `completion` here, in the order of such
    /// calls.
    package func returning<Value: Sendable>(_ completion: @escaping (Value) -> Void) -> @Sendable (Value) -> Void {
        let loop = self.loop
        let ticket = ReturnTicket(completion)
        return { value in loop.execute { _ in ticket.redeem(value) } }
    }
}

/// What a timer does. A bare closure in a generic container is wrapped in an object of its own, which each timer would carry.
private struct TimerBody {
    let call: () -> Void
}

/// A closure that belongs to a loop, carried by a task that only passes it on.
private final class ReturnTicket<Value>: @unchecked Sendable {
    // Unchecked because `completion` is touched on its loop only: where the ticket is made and where it is redeemed.
    private var completion: ((Value) -> Void)?

    init(_ completion: @escaping (Value) -> Void) { self.completion = completion }

    /// Lets go of the closure on the loop, whoever holds the ticket last.
    func redeem(_ value: Value) {
        let completion = self.completion
        self.completion = nil
        completion?(value)
    }
}

extension Reactor {
    /// Looks up the addresses of a name on a helper thread, the best one first.
    package func resolve(
        _ name: String, completion: @escaping (Result<[IPAddress], ReactorError>) -> Void
    ) {
        self.offload({ Self.lookUp(name) }, completion: completion)
    }

    private static func lookUp(_ name: String) -> Result<[IPAddress], ReactorError> {
        var hints = unsafe addrinfo()
        // Without a type every address comes once for each.
        unsafe hints.ai_socktype = SystemSocket.stream
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else {
            let known = code == EAI_AGAIN ? UV_EAI_AGAIN : UV_EAI_NONAME
            return .failure(ReactorError(.resolve, code: known.rawValue, name))
        }
        defer { unsafe freeaddrinfo(list) }
        return .success(unsafe self.addresses(in: list))
    }

    private static func addresses(in list: UnsafeMutablePointer<addrinfo>?) -> [IPAddress] {
        var addresses: [IPAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe SystemAddress(entry.pointee)?.socketAddress { addresses.append(address.ip) }
            unsafe next = entry.pointee.ai_next
        }
        return addresses
    }
}

extension SystemAddress {
    fileprivate init?(_ entry: addrinfo) {
        let length = Int(unsafe entry.ai_addrlen)
        guard let source = unsafe entry.ai_addr, length <= MemoryLayout<sockaddr_storage>.size else { return nil }
        self.init()
        let bytes = unsafe UnsafeRawBufferPointer(start: source, count: length)
        unsafe withUnsafeMutableBytes(of: &self.storage) { unsafe $0.copyMemory(from: bytes) }
        self.length = unsafe entry.ai_addrlen
    }
}
