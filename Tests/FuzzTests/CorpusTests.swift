import Fuzz
import TestSupport
import Testing

/// What the fuzzer begins with and has found is gone through in every run, and a little is guessed beside it. The search
/// itself is `Scripts/fuzz`.
@Suite("Whatever a stranger sends")
struct CorpusTests {
    @Test("is searched by a target for each folder of samples")
    func folders() {
        #expect(SampleFolder.corpus("").names == fuzzTargets.keys.sorted())
    }

    @Test("is taken or refused, whole, cut short or spoilt", arguments: fuzzTargets.keys.sorted())
    func samples(target: String) throws {
        let run = try #require(fuzzTargets[target])
        var random = SeededRandom(seed: 1)
        let folder = SampleFolder.corpus(target)
        for name in folder.names {
            let sample = try folder.read(name)
            run(sample)
            for _ in 0..<LongTests.seeds(16, long: 1000).count { run(Self.spoilt(sample, &random)) }
        }
    }

    /// Cut somewhere, or with a few bytes changed.
    private static func spoilt(_ sample: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        guard !sample.isEmpty else { return [.random(in: 0...255, using: &random)] }
        if Bool.random(using: &random) { return Array(sample.prefix(.random(in: 0..<sample.count, using: &random))) }
        var spoilt = sample
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            spoilt[.random(in: 0..<sample.count, using: &random)] = .random(in: 0...255, using: &random)
        }
        return spoilt
    }
}
