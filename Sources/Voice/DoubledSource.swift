import AudioFiles

/// A sound of one channel, the same in both ears.
final class DoubledSource: SoundSource {
    let format: SoundFormat
    var kind: String { self.source.kind }
    var damage: [Int] { self.source.damage }

    private let source: any SoundSource
    private var piece: [Float] = []

    init(_ source: any SoundSource) {
        self.source = source
        self.format = SoundFormat(rate: source.format.rate, speakers: Speakers(count: 2))
    }

    func read(into samples: inout [Float]) throws {
        try self.source.read(into: &self.piece)
        samples.removeAll(keepingCapacity: true)
        for sample in self.piece {
            samples.append(sample)
            samples.append(sample)
        }
    }
}
