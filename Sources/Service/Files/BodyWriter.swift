internal import Bytes
internal import Files
internal import HTTPServer
internal import Reactor

/// Brings a body onto the disk: the loop only copies, helper threads write, and the client waits when the disk is slower
/// than the line.
final class BodyWriter {
    private let exchange: HTTPExchange
    private let upload: UploadFile
    private var pending: [UInt8] = []
    private var isWriting = false
    private var isPaused = false
    private var trouble: FileTrouble?
    private var completion: ((FileTrouble?) -> Void)?
    /// Told at once when the disk does not take it; nothing is written from then on.
    var onTrouble: (FileTrouble) -> Void = { _ in }

    private static let piece = 256 << 10
    private static let maximumPendingBytes = 1 << 20

    init(_ exchange: HTTPExchange, _ upload: UploadFile) {
        self.exchange = exchange
        self.upload = upload
    }

    func write(_ bytes: Span<UInt8>) {
        guard self.trouble == nil else { return }
        self.pending.append(copying: bytes)
        if self.pending.count >= Self.maximumPendingBytes, !self.isPaused {
            self.isPaused = true
            self.exchange.pauseBody()
        }
        if self.pending.count >= Self.piece { self.flush() }
    }

    /// Nothing follows: `completion` hears when all of it is written, or why not.
    func end(_ completion: @escaping (FileTrouble?) -> Void) {
        self.completion = completion
        self.flush()
    }

    private func flush() {
        guard !self.isWriting else { return }
        guard !self.pending.isEmpty, self.trouble == nil else {
            self.completion.take()?(self.trouble)
            return
        }
        self.isWriting = true
        let (upload, bytes) = (self.upload, self.pending)
        self.pending = []
        self.exchange.reactor.offload({ FileTrouble.of { () throws(FileTrouble) in try upload.append(bytes) } }) {
            self.written($0)
        }
    }

    private func written(_ trouble: FileTrouble?) {
        self.isWriting = false
        if let trouble {
            self.trouble = trouble
            self.pending = []
            self.onTrouble(trouble)
        }
        if self.isPaused, self.pending.count < Self.maximumPendingBytes {
            self.isPaused = false
            self.exchange.resumeBody()
        }
        if self.completion != nil || self.pending.count >= Self.piece { self.flush() }
    }
}

extension FileTrouble {
    /// What went wrong, if anything.
    static func of(_ work: () throws(FileTrouble) -> Void) -> FileTrouble? {
        do throws(FileTrouble) {
            try work()
            return nil
        } catch {
            return error
        }
    }
}
