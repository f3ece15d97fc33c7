/// Finds any of many words in a text in one pass, in whichever case they are written (Aho and Corasick, 1975).
///
/// The time it takes follows the length of the text, whatever the words and whatever the text: nothing is tried twice.
struct WordMatcher: Sendable {
    /// A word, and whether it counts only where no letter or digit stands beside it.
    struct Word: Hashable, Sendable {
        let text: String
        let isWhole: Bool

        init(_ text: String, isWhole: Bool) {
            self.text = text
            self.isWhole = isWhole
        }
    }

    struct Match: Hashable, Sendable {
        /// Its place among the words.
        let word: Int
        /// Of the text's scalars, from the first.
        let range: Range<Int>
    }

    private struct Ending {
        let word: Int
        let length: Int
        let isWhole: Bool
    }

    /// The state after `scalar` in a state, where a word goes on so.
    private var steps: [UInt64: Int32] = [:]
    /// Where to go on when no word goes on.
    private var fallbacks: [Int32] = [0]
    private var endings: [[Ending]] = [[]]
    /// The next state on the way of fallbacks at which a word ends.
    private var shorter: [Int32] = [0]

    init(_ words: [Word]) {
        for (index, word) in words.enumerated() { self.add(word, index) }
        self.link()
    }

    private static func key(_ state: Int32, _ scalar: UInt32) -> UInt64 {
        UInt64(UInt32(bitPattern: state)) << 32 | UInt64(scalar)
    }

    private mutating func add(_ word: Word, _ index: Int) {
        let scalars = FoldedText(word.text).scalars
        guard !scalars.isEmpty else { return }
        var state: Int32 = 0
        for scalar in scalars {
            let key = Self.key(state, scalar)
            if let next = self.steps[key] {
                state = next
                continue
            }
            let next = Int32(self.endings.count)
            self.steps[key] = next
            self.endings.append([])
            self.fallbacks.append(0)
            self.shorter.append(0)
            state = next
        }
        self.endings[Int(state)].append(Ending(word: index, length: scalars.count, isWhole: word.isWhole))
    }

    /// In the order of the states' depths, so that what is pointed to is finished.
    private mutating func link() {
        var children: [[(scalar: UInt32, state: Int32)]] = Array(repeating: [], count: self.endings.count)
        for (key, state) in self.steps {
            children[Int(key >> 32)].append((UInt32(truncatingIfNeeded: key), state))
        }
        var (queue, position) = ([Int32(0)], 0)
        while position < queue.count {
            let state = queue[position]
            position += 1
            for (scalar, child) in children[Int(state)] {
                let fallback = state == 0 ? 0 : self.step(from: self.fallbacks[Int(state)], scalar)
                self.fallbacks[Int(child)] = fallback
                self.shorter[Int(child)] = self.endings[Int(fallback)].isEmpty ? self.shorter[Int(fallback)] : fallback
                queue.append(child)
            }
        }
    }

    private func step(from start: Int32, _ scalar: UInt32) -> Int32 {
        var state = start
        while true {
            if let next = self.steps[Self.key(state, scalar)] { return next }
            guard state != 0 else { return 0 }
            state = self.fallbacks[Int(state)]
        }
    }

    /// Tells every place of every word, in the order in which they end; of those that end together, the longest first.
    func forEachMatch(in text: String, _ body: (Match) -> Void) {
        let folded = FoldedText(text)
        var state: Int32 = 0
        for (index, scalar) in folded.scalars.enumerated() {
            state = self.step(from: state, scalar)
            var found = self.endings[Int(state)].isEmpty ? self.shorter[Int(state)] : state
            while found != 0 {
                for ending in self.endings[Int(found)] {
                    let range = (index - ending.length + 1)..<(index + 1)
                    guard !ending.isWhole || folded.standsAlone(range) else { continue }
                    body(Match(word: ending.word, range: folded.original(range)))
                }
                found = self.shorter[Int(found)]
            }
        }
    }
}
