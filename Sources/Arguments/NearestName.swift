/// Finds what was probably meant.
enum NearestName {
    /// Longer words are not compared: they are no typing errors, and may be sent on purpose.
    private static let maximumBytes = 64

    /// `; did you mean 'x'?`, or nothing when nothing is near.
    static func hint(for word: String, among candidates: some Sequence<String>) -> String {
        self.nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The first of the nearest candidates, if it is near enough.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        guard word.utf8.count <= self.maximumBytes else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates where candidate.utf8.count <= self.maximumBytes {
            let distance = self.distance(from: Array(word.lowercased()), to: Array(candidate.lowercased()))
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        let letters = word.count { $0 != "-" }
        guard let best, best.distance <= max(1, letters / 3) else { return nil }
        return best.name
    }

    /// How many letters have to be added, dropped, replaced or swapped with their neighbour.
    static func distance(from one: [Character], to other: [Character]) -> Int {
        var before: [Int] = []
        var previous = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var current = [row + 1]
            for (column, wanted) in other.enumerated() {
                let replaced = previous[column] + (letter == wanted ? 0 : 1)
                var cost = min(previous[column + 1] + 1, current[column] + 1, replaced)
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == wanted {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            (before, previous) = (previous, current)
        }
        return previous[other.count]
    }
}
