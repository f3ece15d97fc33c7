import TestSupport
import Vocabulary

/// What came of many pairs of peers behind every two kinds of NATs: by which kind of way they spoke, beside the cheapest
/// there can be, and how long they looked for it.
struct NATMatrix: CustomStringConvertible {
    /// One pair of peers at the end of its search. More relays than two are none: they did not connect.
    struct Run {
        let relays: Int
        let fewest: Int
        let time: Duration?
    }

    private let kinds: [NATBehaviour]
    private var cells: [[[Run]]]

    init(_ kinds: [NATBehaviour]) {
        self.kinds = kinds
        self.cells = Array(repeating: Array(repeating: [], count: kinds.count), count: kinds.count)
    }

    mutating func add(_ run: Run, _ left: Int, _ right: Int) { self.cells[left][right].append(run) }

    var runs: [Run] { self.cells.joined().flatMap(\.self) }
    var isCheapest: Bool { self.runs.allSatisfy { $0.relays == $0.fewest } }

    /// Until both had a pair, from the first moment on.
    func time(_ share: Double) -> Duration? {
        let times = self.runs.compactMap(\.time).sorted()
        return times.isEmpty ? nil : times[Int(Double(times.count - 1) * share)]
    }

    private static let ways = ["direct", "relay", "2 relays", "none"]

    /// Each cell: the ways that were used; where that was not always the cheapest, how often each, and the cheapest.
    private static func describe(_ runs: [Run]) -> String {
        let counts = Dictionary(grouping: runs, by: \.relays).mapValues(\.count).sorted { $0.key < $1.key }
        guard let fewest = runs.first?.fewest, counts.map(\.key) != [fewest] else {
            return self.ways[counts.first?.key ?? 3]
        }
        return counts.map { "\($0.value) \(self.ways[$0.key])" }.joined(separator: ", ") + " (not \(self.ways[fewest]))"
    }

    var description: String {
        let names = self.kinds.map(Self.name)
        let head = "| mapping/filtering | " + names.joined(separator: " | ") + " |"
        let rule = "| --- |" + String(repeating: " --- |", count: names.count)
        let rows = zip(names, self.cells).map { name, row in
            "| \(name) | " + row.map(Self.describe).joined(separator: " | ") + " |"
        }
        return ([head, rule] + rows).joined(separator: "\n")
    }

    private static func name(_ kind: NATBehaviour) -> String {
        kind.passesUDP ? "\(self.name(kind.mapping))/\(self.name(kind.filtering))" : "no UDP"
    }

    private static func name(_ dependence: NATBehaviour.Dependence) -> String {
        switch dependence {
        case .endpointIndependent: "EI"
        case .addressDependent: "AD"
        case .addressAndPortDependent: "APD"
        }
    }
}
