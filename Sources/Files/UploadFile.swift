package import Hashing
internal import System
package import Vocabulary

/// A file that is being uploaded and is not whole yet. It blocks, so it is used on helper threads only.
package final class UploadFile: Sendable {
    package let id: FileID
    package let path: String
    private let file: FileHandle
    /// So many bytes have to stay free.
    private let reserve: Int
    private let state: Locked<State>

    private struct State {
        var count: Int
        /// Of all that is in the file; nil when part of it was written by another.
        var content: DigestStream?
        var chunk: Chunk?
    }

    /// A piece that is taken back when it is not what its sender says it is.
    private struct Chunk {
        let start: Int
        let contentBefore: DigestStream?
        var digest: DigestStream
    }

    /// Opens the one of that name, or makes it.
    init(_ id: FileID, at path: String, isNew: Bool, reserve: Int) throws(FileTrouble) {
        self.file = try FileTrouble.catching { () throws(SystemError) in
            try FileHandle(path, for: isNew ? .creating(.owner) : .updating)
        }
        self.id = id
        self.path = path
        self.reserve = reserve
        let count = self.file.status?.size ?? 0
        self.state = Locked(State(count: count, content: count == 0 ? DigestStream(.sha256) : nil))
    }

    package var count: Int { self.state.withLock { $0.count } }
}

// MARK: - Writing

extension UploadFile {
    /// All of it is written, or what was is taken back.
    package func append(_ bytes: [UInt8]) throws(FileTrouble) {
        try self.state.withLock { state throws(FileTrouble) in
            do throws(FileTrouble) {
                try self.write(bytes, at: state.count)
            } catch {
                try? self.file.truncate(to: state.count)
                throw error
            }
            state.count += bytes.count
            state.content?.update(bytes.span)
            state.chunk?.digest.update(bytes.span)
        }
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(FileTrouble) {
        // Others write as well, whatever was promised when this one began.
        guard self.hasRoom(for: bytes.count) else { throw FileTrouble(.full, self.path) }
        try FileTrouble.catching { () throws(SystemError) in try self.file.write(bytes.span, at: offset) }
    }

    private func hasRoom(for count: Int) -> Bool {
        guard let free = self.file.freeBytes else { return true }
        return free > UInt64(clamping: count) + UInt64(clamping: self.reserve)
    }

    /// From here on the bytes are summed up by themselves.
    package func beginChunk(_ digest: Digest) {
        self.state.withLock { state in
            state.chunk = Chunk(start: state.count, contentBefore: state.content, digest: DigestStream(digest))
        }
    }

    /// Ends the chunk. When its sum is another one, or is not given, nothing of it stays.
    package func endChunk(expecting sum: [UInt8]?) throws(FileTrouble) -> Bool {
        try self.state.withLock { state throws(FileTrouble) in
            guard let chunk = state.chunk else { return true }
            state.chunk = nil
            if chunk.digest.value == sum { return true }
            try FileTrouble.catching { () throws(SystemError) in try self.file.truncate(to: chunk.start) }
            state.count = chunk.start
            state.content = chunk.contentBefore
            return false
        }
    }

    /// When this comes back, what was written outlives a loss of power.
    package func sync() throws(FileTrouble) {
        try FileTrouble.catching { () throws(SystemError) in try self.file.sync() }
    }
}

// MARK: - Looking at it

extension UploadFile {
    /// Up to `limit` bytes from the beginning.
    func front(upTo limit: Int) throws(FileTrouble) -> [UInt8] { try self.read(at: 0, upTo: limit) }

    package func read(at offset: Int, upTo limit: Int) throws(FileTrouble) -> [UInt8] {
        try FileTrouble.catching { () throws(SystemError) in try self.file.bytes(at: offset, count: limit) }
    }

    /// Reads it all again when it was not written in one go.
    func contentHash() throws(FileTrouble) -> [UInt8] {
        if let content = self.state.withLock({ $0.content }) { return content.value }
        var content = DigestStream(.sha256)
        while true {
            let piece = try self.read(at: content.count, upTo: 1 << 20)
            if piece.isEmpty { return content.value }
            content.update(piece.span)
        }
    }
}
