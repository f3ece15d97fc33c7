/// What one direction of a link does to the packets on it.
package struct LinkProfile: Hashable, Sendable {
    /// How long a packet is on its way.
    package var delay: Duration
    /// The standard deviation of that delay. Packets stay in their order all the same, `reordering` aside.
    package var jitter: Duration
    package var loss: PacketLoss
    /// The share of packets that arrive behind later ones.
    package var reordering: Double
    /// The share of packets that arrive twice.
    package var duplication: Double
    /// Nil for a link that takes no time to write to.
    package var bitsPerSecond: Int?
    /// So many bytes may wait to be written; what comes on top of them is dropped.
    package var queueLimit: Int
    /// The largest IP packet that passes. Larger ones vanish, as they do where fragments are not let through.
    package var mtu: Int

    package init(
        delay: Duration = .zero, jitter: Duration = .zero, loss: PacketLoss = .none, reordering: Double = 0,
        duplication: Double = 0, bitsPerSecond: Int? = nil, queueLimit: Int = 64 << 10, mtu: Int = 1500
    ) {
        self.delay = delay
        self.jitter = jitter
        self.loss = loss
        self.reordering = reordering
        self.duplication = duplication
        self.bitsPerSecond = bitsPerSecond
        self.queueLimit = queueLimit
        self.mtu = mtu
    }

    package static let perfect = LinkProfile()
}

/// Which packets a link loses.
package enum PacketLoss: Hashable, Sendable {
    case none
    /// Each with the same chance, whatever happened to the one before.
    case random(Double)
    /// A good and a bad state that alternate (Gilbert–Elliott).
    case states(GilbertElliott)

    /// So much loss on average, in bursts of so many packets.
    package static func bursts(_ share: Double, length: Double) -> PacketLoss {
        let toGood = 1 / max(1, length)
        return .states(GilbertElliott(toBad: toGood * share / max(1e-9, 1 - share), toGood: toGood))
    }
}

/// A link that is good for a while and bad for a while.
package struct GilbertElliott: Hashable, Sendable {
    /// The chance per packet that the good state ends.
    package var toBad: Double
    /// The chance per packet that the bad state ends.
    package var toGood: Double
    package var lossWhenGood: Double
    package var lossWhenBad: Double

    package init(toBad: Double, toGood: Double, lossWhenGood: Double = 0, lossWhenBad: Double = 1) {
        self.toBad = toBad
        self.toGood = toGood
        self.lossWhenGood = lossWhenGood
        self.lossWhenBad = lossWhenBad
    }
}

/// Why a packet went no further.
package enum PacketDrop: Int, Hashable, Sendable, CaseIterable {
    case lost
    case queueFull
    case tooLarge
    case linkDown
    /// Nobody in reach has that address.
    case noRoute
    /// The host is there, but nobody listens.
    case noListener
    /// A gateway knows no binding for it.
    case noBinding
    /// A gateway knows the binding, but not whom it comes from.
    case filtered
    /// The gateway lets no such traffic through at all.
    case blocked
}
