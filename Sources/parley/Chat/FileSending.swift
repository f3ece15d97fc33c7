import System
import Arguments
import AudioFiles
import Client
import Conversing
import FileTypes
import JSON
import SoundFiles
import Vocabulary
import Voice

/// Sends a file into a conversation: first its bytes, then a message that shows it.
struct FileSending {
    private let client: ParleyClient
    private let target: ChatTarget

    /// As much as fits on its way at once, with room to spare.
    private static let piece = 1 << 20
    /// Larger sounds are no voice messages, and reading them takes time.
    private static let maximumVoice = 20 << 20

    init(_ client: ParleyClient, to target: ChatTarget) {
        self.client = client
        self.target = target
    }

    func send(_ path: String) async throws(CommandFailure) -> ChatOutcome {
        let name = path.split(separator: "/").last.map { String($0) } ?? path
        let uploads = await self.client.uploads()
        let (id, size) = try await self.bring(path, called: name, uploads)
        let type = try await self.client.asking { _ throws(ClientError) in try await uploads.type(of: id) }
        let kind = Self.kind(of: type)
        // Read here: the connection has a heartbeat to answer meanwhile.
        let sound = kind == .voice && size <= Self.maximumVoice ? try? SoundInfo(of: .file(path)) : nil
        let body = Self.body(id, name, type, sound)
        return try await self.client.asking { client throws(ClientError) in
            try await client.send(body, kind: kind, to: self.target)
        }
    }

    /// Begins anew when what was brought is gone, as with its server among several.
    private func bring(
        _ path: String, called name: String, _ uploads: UploadClient
    ) async throws(CommandFailure) -> (FileID, Int) {
        for _ in 1...Self.attempts {
            let file = try Self.reading { () throws(SystemError) in try InputFile(path: path) }
            guard let size = file.size else { throw CommandFailure("\(path) is no file", exitCode: .noInput) }
            let id = try await self.client.asking { _ throws(ClientError) in
                try await uploads.begin(size, called: name)
            }
            if try await self.bring(file, size, to: id, uploads) { return (id, size) }
        }
        throw CommandFailure("\(path): what was brought of it was lost again and again", exitCode: .unavailable)
    }

    private static let attempts = 3

    /// False when it has to begin anew.
    private func bring(
        _ file: InputFile, _ size: Int, to id: FileID, _ uploads: UploadClient
    ) async throws(CommandFailure) -> Bool {
        var (offset, piece) = (0, [UInt8]())
        while offset < size {
            try Self.reading { () throws(SystemError) in
                try file.read(into: &piece, upTo: min(Self.piece, size - offset))
            }
            guard !piece.isEmpty else { throw CommandFailure("\(file.name) became shorter", exitCode: .dataError) }
            let (bytes, start) = (piece, offset)
            let isTaken = try await self.client.asking { _ throws(ClientError) in
                try await uploads.send(bytes, at: start, to: id)
            }
            guard isTaken else { return false }
            offset += bytes.count
        }
        return true
    }

    private static func reading<Value>(_ work: () throws(SystemError) -> Value) throws(CommandFailure) -> Value {
        do throws(SystemError) {
            return try work()
        } catch {
            throw CommandFailure("\(error)", exitCode: .noInput)
        }
    }

    /// A voice message says how long it is and what it looks like; to show it the file need not be read.
    private static func body(_ id: FileID, _ name: String, _ type: String, _ sound: SoundInfo?) -> RawJSON {
        RawJSON { json in
            json.members([("file", id.text), ("name", name), ("type", type)])
            guard let sound else { return }
            json.field("duration", sound.seconds, digits: 1)
            json.array("waveform", of: sound.waveform(SoundOutline.barCount).message) { $0.integer(Int($1)) }
        }
    }

    /// By what the server found in it.
    private static func kind(of type: String) -> MessageKind {
        switch type.prefix(while: { $0 != "/" }) {
        case "image": .image
        case "audio": .voice
        case "video": .video
        default: .file
        }
    }
}
