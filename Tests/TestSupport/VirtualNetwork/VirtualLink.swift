import Vocabulary

/// What ties a host or a gateway to a realm: one direction up into the realm, one down from it.
package final class VirtualLink {
    enum Direction { case up, down }

    /// Who is at the lower end.
    enum Owner {
        case host(Unowned<VirtualHost>)
        case gateway(Unowned<VirtualGateway>)
    }

    let index: Int32
    unowned let realm: VirtualRealm
    var owner: Owner?
    /// A link that is down loses everything, without a word to anybody.
    package var isUp = true
    var up: VirtualWire
    var down: VirtualWire

    init(_ index: Int32, in realm: VirtualRealm, up: LinkProfile, down: LinkProfile, seed: UInt64) {
        self.index = index
        self.realm = realm
        self.up = VirtualWire(up, seed: seed)
        self.down = VirtualWire(down, seed: ~seed)
    }

    /// What the link does from now on; packets under way are not touched.
    package func change(up: LinkProfile, down: LinkProfile? = nil) {
        self.up.profile = up
        self.down.profile = down ?? up
    }
}

/// A reference that keeps nobody alive.
struct Unowned<Object: AnyObject> {
    unowned let object: Object
}

/// One direction of a link: when what is put in comes out.
struct VirtualWire {
    enum Fate {
        case dropped(PacketDrop)
        case arrives(Int64)
        case arrivesTwice(Int64, Int64)
    }

    var profile: LinkProfile { didSet { self.derive() } }
    private var random: SeededRandom
    private var isBad = false
    private var isFreeAt: Int64 = 0
    private var lastArrival: Int64 = 0
    /// The profile as whole nanoseconds, for it is asked for every packet.
    private(set) var delay: Int64 = 0
    private var jitter: Int64 = 0
    /// Nothing happens on it at all.
    private(set) var isPerfect = false

    init(_ profile: LinkProfile, seed: UInt64) {
        self.profile = profile
        self.random = SeededRandom(seed: seed)
        self.derive()
    }

    private mutating func derive() {
        self.delay = self.profile.delay.clampedNanoseconds
        self.jitter = self.profile.jitter.clampedNanoseconds
        self.isPerfect = self.profile == .perfect
    }

    /// What becomes of an IP packet of so many bytes.
    mutating func carry(_ size: Int, at now: Int64) -> Fate {
        guard size <= self.profile.mtu else { return .dropped(.tooLarge) }
        if self.loses() { return .dropped(.lost) }
        guard let written = self.write(size, at: now) else { return .dropped(.queueFull) }
        let arrival = self.arrival(of: written)
        guard self.happens(self.profile.duplication) else { return .arrives(arrival) }
        return .arrivesTwice(arrival, arrival + 1)
    }

    /// How long a piece of a reliable stream is on its way: what is lost is sent again, a little later each time.
    mutating func carryReliably(_ size: Int, at now: Int64, resendingAfter wait: Int64) -> Int64 {
        var waited: Int64 = 0
        var pause = max(wait, 200_000_000)
        while self.loses(), waited < 60_000_000_000 {
            waited += pause
            // What is sent after it tells the sender of the loss again and again (RFC 8985 §7), so that the pauses do not
            // grow for long.
            pause = min(pause * 2, max(wait, 1_000_000_000))
        }
        let written = self.write(size, at: now) ?? now
        return waited + written - now + self.delay + self.wobble()
    }

    private mutating func write(_ size: Int, at now: Int64) -> Int64? {
        guard let rate = self.profile.bitsPerSecond else { return now }
        let start = max(now, self.isFreeAt)
        let waitingBytes = Double(start - now) * Double(rate) / 8e9
        guard waitingBytes <= Double(self.profile.queueLimit) else { return nil }
        self.isFreeAt = start + Int64(Double(size) * 8e9 / Double(rate))
        return self.isFreeAt
    }

    private mutating func arrival(of written: Int64) -> Int64 {
        let arrival = written + self.delay + self.wobble()
        if self.happens(self.profile.reordering) {
            // Late enough to be overtaken by what is sent within the next moments.
            return max(arrival, self.lastArrival) + max(1_000_000, self.delay / 2)
        }
        self.lastArrival = max(arrival, self.lastArrival)
        return self.lastArrival
    }

    /// Nearly a normal distribution, and never earlier than at once.
    private mutating func wobble() -> Int64 {
        guard self.jitter > 0 else { return 0 }
        let sum = self.chance() + self.chance() + self.chance() + self.chance() - 2
        return max(-self.delay, Int64(sum * 1.732 * Double(self.jitter)))
    }

    private mutating func loses() -> Bool {
        switch self.profile.loss {
        case .none: return false
        case .random(let share): return self.happens(share)
        case .states(let states):
            if self.happens(self.isBad ? states.toGood : states.toBad) { self.isBad.toggle() }
            return self.happens(self.isBad ? states.lossWhenBad : states.lossWhenGood)
        }
    }

    private mutating func happens(_ share: Double) -> Bool {
        share > 0 && self.chance() < share
    }

    private mutating func chance() -> Double {
        Double(self.random.next() >> 11) * 0x1p-53
    }
}
