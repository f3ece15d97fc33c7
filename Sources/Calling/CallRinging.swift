internal import BinaryCoding
internal import Bytes
import Vocabulary

/// A call while it rings: the caller who waits, and the callee's devices.
struct CallRinging: Sendable {
    enum Device: UInt8, Hashable, Sendable {
        /// It was told to ring. Can become: ringing, away, out.
        case told
        /// It said that it rings. Can become: away, out.
        case ringing
        /// Its link is down. Can become: told, ringing, out.
        case away
        /// It cannot take this call and was told the end. The last state.
        case out
    }

    /// What becomes of the callee's devices that sleep.
    enum Push: UInt8, Hashable, Sendable {
        /// They stay as they are. The last state.
        case none
        /// It is looked up whether there are any. Can become: none, sent.
        case requested
        /// Each may come up, as long as the call rings. The last state.
        case sent
    }

    var caller: CallSeat
    private(set) var push = Push.none
    let until: Instant
    /// When the call ends because no device can be reached, unless one comes up.
    private(set) var unreachableUntil: Instant?
    private var devices: [(session: SessionID, state: Device)] = []
    private var wasAnnounced = false

    init(for caller: CallSeat, until: Instant) {
        self.caller = caller
        self.until = until
    }

    var deadline: Instant {
        min(self.until, self.unreachableUntil ?? self.until, self.caller.keptUntil ?? self.until)
    }

    /// Those that still have to be told how this ends.
    var open: [SessionID] { self.devices.lazy.filter { $0.state != .out }.map(\.session) }

    /// Whether every device has said that it cannot take the call.
    var isHopeless: Bool { self.push == .none && self.devices.allSatisfy { $0.state == .out } }

    func state(of session: SessionID) -> Device? { self.devices.first { $0.session == session }?.state }

    /// True when this line is new here and has to ring.
    mutating func lineUp(_ session: SessionID, atMost limit: Int) -> Bool {
        switch self.state(of: session) {
        case .none where self.devices.count < limit:
            self.devices.append((session, .told))
            self.unreachableUntil = nil
            return true
        case .away:
            self.set(.told, for: session)
            self.unreachableUntil = nil
            return false
        case .none, .told, .ringing, .out:
            return false
        }
    }

    mutating func lineDown(_ session: SessionID, until moment: Instant) {
        switch self.state(of: session) {
        case .told, .ringing:
            self.set(.away, for: session)
            self.noticeSilence(until: moment)
        case .none, .away, .out:
            break
        }
    }

    /// True when this is the first device that rings.
    mutating func acknowledged(_ session: SessionID) -> Bool {
        switch self.state(of: session) {
        case .told, .away:
            self.set(.ringing, for: session)
            self.unreachableUntil = nil
            defer { self.wasAnnounced = true }
            return !self.wasAnnounced
        case .none, .ringing, .out:
            return false
        }
    }

    /// True when this line has to be told that the call is over for it.
    mutating func gaveUp(_ session: SessionID, until moment: Instant) -> Bool {
        switch self.state(of: session) {
        case .told, .ringing, .away:
            self.set(.out, for: session)
            self.noticeSilence(until: moment)
            return true
        case .none, .out:
            return false
        }
    }

    mutating func requestPush() { self.push = .requested }

    /// How the call ends, if it is known now that no device can be reached. True of `tells` when the caller has to be told that
    /// devices are woken.
    mutating func pushed(
        _ areThereDevices: Bool, until moment: Instant
    ) -> (outcome: CallOutcome?, tells: Bool) {
        guard self.push == .requested else { return (nil, false) }
        self.push = areThereDevices ? .sent : .none
        if areThereDevices { return (nil, !self.wasAnnounced) }
        if self.isHopeless { return (self.devices.isEmpty ? .offline : .failed, false) }
        self.noticeSilence(until: moment)
        return (nil, false)
    }

    private mutating func set(_ state: Device, for session: SessionID) {
        guard let place = self.devices.firstIndex(where: { $0.session == session }) else { return }
        self.devices[place].state = state
    }

    private mutating func noticeSilence(until moment: Instant) {
        let isReachable = self.push != .none || self.devices.contains { $0.state == .told || $0.state == .ringing }
        if !isReachable, self.unreachableUntil == nil { self.unreachableUntil = moment }
    }
}

extension CallRinging: BinaryCoded {
    func encode(into bytes: inout ByteWriter) {
        bytes.put(self.caller)
        bytes.put(self.push.rawValue)
        bytes.put(self.until)
        bytes.put(self.unreachableUntil)
        bytes.put(self.wasAnnounced)
        bytes.put(self.devices.map(\.session))
        bytes.put(self.devices.map(\.state.rawValue))
    }

    init(from bytes: inout ByteReader) throws(ByteError) {
        let caller: CallSeat = try bytes.take()
        guard let push = Push(rawValue: try bytes.take()) else { throw ByteError(.malformed, at: bytes.offset) }
        self.init(for: caller, until: try bytes.take())
        self.push = push
        self.unreachableUntil = try bytes.take()
        self.wasAnnounced = try bytes.take()
        let sessions: [SessionID] = try bytes.take()
        let states = try bytes.take([UInt8].self).compactMap { Device(rawValue: $0) }
        guard states.count == sessions.count else { throw ByteError(.malformed, at: bytes.offset) }
        self.devices = Array(zip(sessions, states))
    }
}
