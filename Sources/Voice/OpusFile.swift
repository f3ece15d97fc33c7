package import AudioFiles
package import SoundFiles

/// A file with Opus packets in it, Ogg or WebM, read as packets.
package final class OpusFile {
    /// The container: `Ogg` or `WebM`.
    package let container: String
    /// The head of the first stream.
    package let head: OpusHead
    package private(set) var tags: OpusTags?
    package private(set) var damage: [Int] = []
    /// All packets so far.
    package private(set) var packetBytes = 0
    package private(set) var packetCount = 0
    package private(set) var packetDuration = 0

    private let file: InputFile
    private var reader: any OpusFileReader
    private var held: OpusFileEvent?
    private var bytes: [UInt8] = []

    /// More places than this are not remembered one by one.
    static let maximumDamages = 1000

    /// `start` is what has been read of the file already.
    package init(_ file: InputFile, reader: any OpusFileReader, container: String, startingWith start: [UInt8]) throws {
        var reader = reader
        var bytes = start
        var event: OpusFileEvent?
        repeat {
            bytes.isEmpty ? reader.finish() : reader.append(bytes.span)
            event = try reader.next()
            if event == nil { try file.read(into: &bytes) }
        } while event == nil
        guard case .head(let head) = event else { throw AudioFileError(.missing("OpusHead"), at: 0) }
        self.container = container
        self.head = head
        self.file = file
        self.reader = reader
    }

    /// The next event after the first head; nil at the end.
    package func next() throws -> OpusFileEvent? {
        while true {
            if let event = try self.reader.next() {
                self.note(event)
                return event
            }
            guard !self.isFinished else { return nil }
            try self.file.read(into: &self.bytes)
            let bytes = self.bytes
            bytes.isEmpty ? self.finish() : self.reader.append(bytes.span)
        }
    }

    /// Reads to the end, and tells whether there is no second stream.
    func isOneRecording() throws -> Bool {
        while let event = try self.next() {
            if case .head = event { return false }
        }
        return true
    }

    private var isFinished = false

    private func finish() {
        self.isFinished = true
        self.reader.finish()
    }

    private func note(_ event: OpusFileEvent) {
        switch event {
        case .packet(let packet):
            self.packetBytes += packet.bytes.count
            self.packetCount += 1
            self.packetDuration += packet.duration
        case .tags(let tags): if self.tags == nil { self.tags = tags }
        case .damage(let offset): if self.damage.count < Self.maximumDamages { self.damage.append(offset) }
        case .head, .gap: break
        }
    }
}
