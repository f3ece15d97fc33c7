import System
import Arguments
import Client
import Conversing
import JSON
import SoundFiles
import Vocabulary

/// Sends a file into a conversation: first its bytes, then a message that shows it.
struct FileSending {
    private let client: ParleyClient
    private let target: ChatTarget

    /// As much as fits on its way at once, with room to spare.
    private static let piece = 1 << 20

    init(_ client: ParleyClient, to target: ChatTarget) {
        self.client = client
        self.target = target
    }

    func send(_ path: String) async throws(CommandFailure) -> ChatOutcome {
        let file = try Self.reading { () throws(SystemError) in try InputFile(path: path) }
        guard let size = file.size else { throw CommandFailure("\(path) is no file", exitCode: .noInput) }
        let name = path.split(separator: "/").last.map { String($0) } ?? path
        let uploads = await self.client.uploads()
        let id = try await self.client.asking { _ throws(ClientError) in try await uploads.begin(size, called: name) }
        try await self.bring(file, size, to: id, uploads)
        return try await self.client.asking { client throws(ClientError) in
            let type = try await uploads.type(of: id)
            return try await client.send(Self.body(id, name, type), kind: Self.kind(of: type), to: self.target)
        }
    }

    private func bring(
        _ file: InputFile, _ size: Int, to id: FileID, _ uploads: UploadClient
    ) async throws(CommandFailure) {
        var (offset, piece) = (0, [UInt8]())
        while offset < size {
            try Self.reading { () throws(SystemError) in
                try file.read(into: &piece, upTo: min(Self.piece, size - offset))
            }
            guard !piece.isEmpty else { throw CommandFailure("\(file.name) became shorter", exitCode: .dataError) }
            let (bytes, start) = (piece, offset)
            try await self.client.asking { _ throws(ClientError) in try await uploads.send(bytes, at: start, to: id) }
            offset += bytes.count
        }
    }

    private static func reading<Value>(_ work: () throws(SystemError) -> Value) throws(CommandFailure) -> Value {
        do throws(SystemError) {
            return try work()
        } catch {
            throw CommandFailure("\(error)", exitCode: .noInput)
        }
    }

    private static func body(_ id: FileID, _ name: String, _ type: String) -> RawJSON {
        RawJSON { $0.members([("file", id.text), ("name", name), ("type", type)]) }
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
