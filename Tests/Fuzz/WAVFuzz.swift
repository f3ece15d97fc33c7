import AudioFiles

/// Whatever comes, the reader of WAV neither traps nor changes its mind with the cuts, and every sample is a number.
enum WAVFuzz {
    private struct Said: Equatable {
        var format: WAVFormat?
        var samples: [Float] = []
        var truncatedAt: Int?
        var error: AudioFileError?
    }

    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let whole = self.said(input.pieces(of: 0))
        let cut = self.said(input.pieces(of: Int(input.control & 63) + 1))
        demand(whole == cut, "the cuts made a difference: \(whole) or \(cut)")
        demand(whole.samples.allSatisfy { abs($0) <= 1024 }, "a sample that is no sound")
    }

    private static func said(_ pieces: [[UInt8]]) -> Said {
        var reader = WAVReader()
        var said = Said()
        var rest = pieces[...]
        func feed(_ reader: inout WAVReader) {
            guard let piece = rest.popFirst() else { return reader.finish() }
            reader.append(piece.span)
        }
        do {
            while try !reader.readHeader() { feed(&reader) }
        } catch {
            said.error = error
        }
        while said.error == nil, !reader.isOver {
            if reader.read(upTo: 100, into: &said.samples) == 0, !reader.isOver { feed(&reader) }
        }
        said.format = reader.format
        said.truncatedAt = reader.truncatedAt
        return said
    }
}
