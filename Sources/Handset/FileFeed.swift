internal import SoundFiles
package import Voice

/// A recording, of any kind that voice messages are made from.
package final class FileFeed: SoundFeed {
    private let source: any SoundSource
    private var piece: [Float] = []
    private var position = 0
    package private(set) var isOver = false

    package init(path: String, isStereo: Bool = false) throws(VoiceFailure) {
        do {
            self.source = try PlayedSound.open(InputFile(path: path), isStereo: isStereo)
        } catch {
            throw VoiceFailure(error)
        }
    }

    package func read(into sound: inout MutableSpan<Float>) throws -> Int {
        var count = 0
        while count < sound.count, !self.isOver {
            guard self.position < self.piece.count else {
                try self.source.read(into: &self.piece)
                self.position = 0
                self.isOver = self.piece.isEmpty
                continue
            }
            let taken = min(sound.count - count, self.piece.count - self.position)
            for index in 0..<taken { sound[count + index] = self.piece[self.position + index] }
            count += taken
            self.position += taken
        }
        return count
    }
}
