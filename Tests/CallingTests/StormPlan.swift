import Foundation

/// How many random events the storms make, and from which seeds.
///
/// `PARLEY_LONG_TESTS=1` makes it a million for each kind of machine. `PARLEY_STORM_SEED=7` repeats one seed alone.
enum StormPlan {
    static let eventsPerSeed = 12_500

    static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["PARLEY_STORM_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        return Array(0..<(environment["PARLEY_LONG_TESTS"] == nil ? 8 : 80))
    }()

    /// Runs a storm. One that does damage comes again from the same seed, and is written down this time.
    static func run<Sights>(_ storm: (_ isTraced: Bool) throws -> Sights) throws -> Sights {
        do {
            return try storm(false)
        } catch is StormDamage {
            return try storm(true)
        }
    }
}

/// A promise that a storm found broken, and how to see it again.
struct StormDamage: Error, CustomStringConvertible {
    let seed: UInt64
    let event: Int
    let promise: String
    let lately: [String]

    var description: String {
        """
        seed \(self.seed), event \(self.event): \(self.promise)
        again with PARLEY_STORM_SEED=\(self.seed); what came before:
        \(self.lately.joined(separator: "\n"))
        """
    }
}

/// A network that loses, doubles and reorders what it carries.
struct RoughNetwork<Packet> {
    private var underWay: [Packet] = []

    var isEmpty: Bool { self.underWay.isEmpty }

    mutating func send(_ packet: Packet) {
        self.underWay.append(packet)
    }

    /// Some packet that arrives now; not in the order they were sent, perhaps not for the last time.
    mutating func receive(using random: inout some RandomNumberGenerator) -> Packet? {
        guard let place = self.underWay.indices.randomElement(using: &random) else { return nil }
        let packet = self.underWay[place]
        let fate = Int.random(in: 0..<100, using: &random)
        let isDoubled = fate < 8 && self.underWay.count < 200
        let isLost = fate > 92
        if !isDoubled {
            self.underWay.swapAt(place, self.underWay.count - 1)
            self.underWay.removeLast()
        }
        return isLost ? nil : packet
    }
}

/// The last lines of a transcript, if there is one.
struct Lately {
    let isTraced: Bool
    private(set) var lines: [String] = []

    init(isTraced: Bool) {
        self.isTraced = isTraced
    }

    mutating func note(_ line: @autoclosure () -> String) {
        guard self.isTraced else { return }
        if self.lines.count >= 40 { self.lines.removeFirst(20) }
        self.lines.append(line())
    }
}
