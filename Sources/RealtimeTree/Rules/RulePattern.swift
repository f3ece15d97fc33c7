/// A regular expression of the small kind that rules have. It is carried out in time that grows with the text and nothing
/// else, by following all ways at once (Thompson 1968): a text of a stranger cannot make it slow.
///
/// Letters, `.`, classes, `\d \w \s` and their opposites, `^ $`, groups, `|`, `* + ?` and `{n,m}`; the flag `i`.
package struct RulePattern: Sendable {
    private indirect enum Part {
        case set(LetterSet)
        case start, end
        case sequence([Part])
        case either([Part])
        /// At least and at most so often; nil for any.
        case times(Part, Int, Int?)
    }

    fileprivate struct LetterSet: Sendable {
        var ranges: [ClosedRange<UInt32>] = []
        var isInverted = false

        func contains(_ scalar: UInt32, ignoringCase: Bool) -> Bool {
            let isIn = { (letter: UInt32) in self.ranges.contains { $0.contains(letter) } }
            return (isIn(scalar) || (ignoringCase && Self.otherCase(scalar).map(isIn) == true)) != self.isInverted
        }

        private static func otherCase(_ scalar: UInt32) -> UInt32? {
            switch scalar {
            case 65...90: scalar + 32
            case 97...122: scalar - 32
            default: nil
            }
        }
    }

    private enum Step: Sendable {
        case letter(LetterSet)
        case start, end
        case split(Int, Int)
        case jump(Int)
        case match
    }

    private var steps: [Step] = []
    private let ignoresCase: Bool

    private static let maximumSteps = 2000

    package init(_ text: String, flags: String = "") throws(RuleFault) {
        guard flags.allSatisfy({ $0 == "i" }) else { throw RuleFault("a pattern may have the flag i only") }
        self.ignoresCase = flags.contains("i")
        var parser = Parser(Array(text.unicodeScalars.map(\.value)))
        try self.append(try parser.whole())
        self.steps.append(.match)
    }

    private mutating func append(_ part: Part) throws(RuleFault) {
        guard self.steps.count < Self.maximumSteps else { throw RuleFault("a pattern is too long") }
        switch part {
        case .set(let set): self.steps.append(.letter(set))
        case .start: self.steps.append(.start)
        case .end: self.steps.append(.end)
        case .sequence(let parts): for part in parts { try self.append(part) }
        case .either(let parts): try self.append(either: parts[...])
        case .times(let part, let least, let most): try self.append(part, least, most)
        }
    }

    private mutating func append(either parts: ArraySlice<Part>) throws(RuleFault) {
        guard let first = parts.first else { return }
        guard parts.count > 1 else { return try self.append(first) }
        let split = self.steps.count
        self.steps.append(.match)
        try self.append(first)
        let jump = self.steps.count
        self.steps.append(.match)
        self.steps[split] = .split(split + 1, self.steps.count)
        try self.append(either: parts.dropFirst())
        self.steps[jump] = .jump(self.steps.count)
    }

    private mutating func append(_ part: Part, _ least: Int, _ most: Int?) throws(RuleFault) {
        for _ in 0..<least { try self.append(part) }
        guard let most else {
            let split = self.steps.count
            self.steps.append(.match)
            try self.append(part)
            self.steps.append(.jump(split))
            return self.steps[split] = .split(split + 1, self.steps.count)
        }
        guard most > least else { return }
        var splits: [Int] = []
        for _ in least..<most {
            splits.append(self.steps.count)
            self.steps.append(.match)
            try self.append(part)
        }
        for split in splits { self.steps[split] = .split(split + 1, self.steps.count) }
    }

    /// Whether it is found anywhere in the text.
    package func matches(_ text: String) -> Bool {
        let letters = text.unicodeScalars.map(\.value)
        var current: Set<Int> = []
        for place in 0...letters.count {
            self.follow(0, at: place, letters.count, &current)
            if current.contains(self.steps.count - 1) { return true }
            guard place < letters.count else { return false }
            var next: Set<Int> = []
            for step in current {
                if case .letter(let set) = self.steps[step],
                    set.contains(letters[place], ignoringCase: self.ignoresCase)
                {
                    self.follow(step + 1, at: place + 1, letters.count, &next)
                }
            }
            current = next
        }
        return false
    }

    private func follow(_ step: Int, at place: Int, _ end: Int, _ found: inout Set<Int>) {
        var waiting = [step]
        while let step = waiting.popLast() {
            guard found.insert(step).inserted else { continue }
            switch self.steps[step] {
            case .letter, .match: break
            case .start: if place == 0 { waiting.append(step + 1) }
            case .end: if place == end { waiting.append(step + 1) }
            case .jump(let target): waiting.append(target)
            case .split(let one, let other): waiting += [other, one]
            }
        }
    }
}

extension RulePattern {
    private struct Parser {
        private let text: [UInt32]
        private var index = 0
        private var depth = 0

        init(_ text: [UInt32]) { self.text = text }

        private var next: Unicode.Scalar? { self.index < self.text.count ? Unicode.Scalar(self.text[self.index]) : nil }

        private mutating func skip(_ letter: Unicode.Scalar) -> Bool {
            guard self.next == letter else { return false }
            self.index += 1
            return true
        }

        mutating func whole() throws(RuleFault) -> Part {
            let part = try self.either()
            guard self.next == nil else { throw RuleFault("a pattern has a bracket too many") }
            return part
        }

        private mutating func either() throws(RuleFault) -> Part {
            self.depth += 1
            defer { self.depth -= 1 }
            guard self.depth < 50 else { throw RuleFault("a pattern is too deep") }
            var parts = [try self.sequence()]
            while self.skip("|") { parts.append(try self.sequence()) }
            return parts.count == 1 ? parts[0] : .either(parts)
        }

        private mutating func sequence() throws(RuleFault) -> Part {
            var parts: [Part] = []
            while let letter = self.next, letter != "|", letter != ")" { parts.append(try self.repeated()) }
            return .sequence(parts)
        }

        private mutating func repeated() throws(RuleFault) -> Part {
            let part = try self.single()
            if self.skip("*") { return .times(part, 0, nil) }
            if self.skip("+") { return .times(part, 1, nil) }
            if self.skip("?") { return .times(part, 0, 1) }
            guard self.skip("{") else { return part }
            guard let least = self.number() else { throw RuleFault("a pattern has '{' without a number") }
            var most: Int? = least
            if self.skip(",") { most = self.number() }
            guard self.skip("}"), least <= 100, most ?? 0 <= 100, most.map({ $0 >= least }) ?? true else {
                throw RuleFault("a pattern repeats too often")
            }
            return .times(part, least, most)
        }

        private mutating func number() -> Int? {
            var digits = ""
            while let letter = self.next, ("0"..."9").contains(letter) {
                digits.unicodeScalars.append(letter)
                self.index += 1
            }
            return Int(digits)
        }

        private mutating func single() throws(RuleFault) -> Part {
            guard let letter = self.next else { throw RuleFault("a pattern ends too early") }
            self.index += 1
            switch letter {
            case "^": return .start
            case "$": return .end
            case ".": return .set(LetterSet(ranges: [10...10, 13...13], isInverted: true))
            case "(":
                if self.skip("?"), !self.skip(":") { throw RuleFault("a pattern has a group of an unknown kind") }
                let part = try self.either()
                guard self.skip(")") else { throw RuleFault("a pattern has a bracket that is not closed") }
                return part
            case "[": return .set(try self.letterClass())
            case "\\": return .set(try self.escaped())
            case "*", "+", "?": throw RuleFault("a pattern repeats nothing")
            default: return .set(LetterSet(ranges: [letter.value...letter.value]))
            }
        }

        private mutating func letterClass() throws(RuleFault) -> LetterSet {
            var set = LetterSet()
            set.isInverted = self.skip("^")
            while !self.skip("]") {
                guard let letter = self.next else { throw RuleFault("a pattern has a class that is not closed") }
                self.index += 1
                if letter == "\\" {
                    let escaped = try self.escaped()
                    guard !escaped.isInverted else { throw RuleFault("a pattern has an opposite inside a class") }
                    set.ranges += escaped.ranges
                    continue
                }
                var last = letter
                if self.next == "-", self.index + 1 < self.text.count, self.text[self.index + 1] != 0x5D {
                    self.index += 1
                    last = self.next ?? letter
                    self.index += 1
                }
                guard letter <= last else { throw RuleFault("a pattern has a range that goes back") }
                set.ranges.append(letter.value...last.value)
            }
            return set
        }

        private mutating func escaped() throws(RuleFault) -> LetterSet {
            guard let letter = self.next else { throw RuleFault("a pattern ends too early") }
            self.index += 1
            switch letter {
            case "d", "D": return LetterSet(ranges: [48...57], isInverted: letter == "D")
            case "w", "W":
                return LetterSet(ranges: [48...57, 65...90, 95...95, 97...122], isInverted: letter == "W")
            case "s", "S": return LetterSet(ranges: [9...13, 32...32], isInverted: letter == "S")
            case "n": return LetterSet(ranges: [10...10])
            case "r": return LetterSet(ranges: [13...13])
            case "t": return LetterSet(ranges: [9...9])
            default: return LetterSet(ranges: [letter.value...letter.value])
            }
        }
    }
}
