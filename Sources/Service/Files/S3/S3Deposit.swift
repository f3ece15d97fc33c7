internal import Bytes
internal import Client
internal import FileTypes
internal import Files
internal import Hashing
internal import Reactor
internal import S3
internal import System
internal import Vocabulary
internal import Web

/// Brings one whole file into a store: not at all when it is there, in one piece when it is short, in parts otherwise. Of the file, no more
/// is in memory than the line takes at once.
///
/// It keeps itself alive through what it waits for.
final class S3Deposit {
    private let client: S3Client
    private let upload: UploadFile
    private let file: KeptFile
    private let key: String
    private let reactor: Reactor
    private let isKnown: (S3List.Item) -> Bool
    private let conditions: Locked<Bool>
    private let done: (S3Problem?) -> Void

    /// More of it goes in parts of this length, or of a greater one where there would be more than ten thousand.
    static let partBytes = 16 << 20
    private static let maximumParts = 10_000

    /// - Parameters:
    ///   - conditions: whether the store knows what may be put only where there is nothing.
    ///   - isKnown: whether what lies there already can stay as it is.
    init(
        _ client: S3Client, _ upload: UploadFile, _ file: KeptFile, on reactor: Reactor, _ conditions: Locked<Bool>,
        isKnown: @escaping (S3List.Item) -> Bool, _ done: @escaping (S3Problem?) -> Void
    ) {
        self.client = client
        self.upload = upload
        self.file = file
        self.key = client.names.key(of: file.hash)
        self.reactor = reactor
        self.conditions = conditions
        self.isKnown = isKnown
        self.done = done
    }

    func start() {
        self.client.send(.head(self.key), on: self.reactor) { result in
            switch result {
            case .success(let answer):
                let item = S3List.Item(self.key, answer.fields)
                if item.size == self.file.size, self.isKnown(item) { return self.done(nil) }
                self.bring(isNew: false)
            case .failure(let problem) where problem.reason == .passing: self.done(problem)
            // An answer to HEAD has no words: what is wrong is said by the next.
            case .failure: self.bring(isNew: self.conditions.withLock(\.self))
            }
        }
    }

    private func bring(isNew: Bool) {
        guard self.file.size <= Self.partBytes else { return self.beginParts() }
        let request = S3Request.put(self.key, type: self.file.type.mediaType, sum: self.file.hash.text, isNew: isNew)
        self.client.send(request, on: self.reactor, from: { self.source(0..<self.file.size) }) { result in
            switch result {
            case .success: self.done(nil)
            case .failure(let problem) where isNew && problem.reason == .exists: self.done(nil)
            case .failure(let problem) where isNew && problem.reason == .unknownRequest:
                self.conditions.withLock { $0 = false }
                self.bring(isNew: false)
            case .failure(let problem): self.done(problem)
            }
        }
    }

    private func source(_ range: Range<Int>) -> any HTTPBodySource { UploadSource(self.upload, range, self.reactor) }

    // MARK: - In parts

    private var partLength: Int {
        let least = (self.file.size + Self.maximumParts - 1) / Self.maximumParts
        return max(Self.partBytes, (least >> 20 + 1) << 20)
    }

    private func beginParts() {
        self.client.send(.begin(self.key, type: self.file.type.mediaType), on: self.reactor) { result in
            switch result {
            case .failure(let problem): self.done(problem)
            case .success(let answer):
                let root = try? XMLElement(parsing: answer.body)
                guard let id = root?.text(of: "UploadId"), !id.isEmpty else {
                    return self.done(S3Problem(.passing, "it did not say what the parts belong to"))
                }
                self.bringPart(of: id, [])
            }
        }
    }

    private func bringPart(of id: String, _ tags: [String]) {
        let start = tags.count * self.partLength
        guard start < self.file.size else { return self.complete(id, tags) }
        let range = start..<min(self.file.size, start + self.partLength)
        let upload = self.upload
        self.reactor.offload({ upload.sum(of: range) }) { sum in
            guard let sum else { return self.giveUp(id, S3Problem(.passing, "the upload cannot be read")) }
            let part = S3Request.part(tags.count + 1, of: id, self.key, sum: sum)
            self.client.send(part, on: self.reactor, from: { self.source(range) }) { result in
                switch result {
                case .failure(let problem): self.giveUp(id, problem)
                case .success(let answer): self.bringPart(of: id, tags + [answer.fields[.eTag] ?? ""])
                }
            }
        }
    }

    private func complete(_ id: String, _ tags: [String]) {
        self.client.send(.complete(id, self.key, tags: tags), on: self.reactor) { result in
            guard case .failure(let problem) = result else { return self.done(nil) }
            // An answer that was lost came from one that is there.
            self.client.send(.head(self.key), on: self.reactor) { found in
                if case .success(let answer) = found, S3List.Item(self.key, answer.fields).size == self.file.size {
                    return self.done(nil)
                }
                self.giveUp(id, problem)
            }
        }
    }

    /// Parts that nobody puts together cost money.
    private func giveUp(_ id: String, _ problem: S3Problem) {
        self.client.send(.abandon(id, self.key), on: self.reactor, attempts: 1) { _ in self.done(problem) }
    }
}

extension S3List.Item {
    /// What the fields of an answer say of it.
    init(_ key: String, _ fields: HTTPFields) {
        let time = fields["Last-Modified"].flatMap { HTTPDate.parse($0) }
        self.init(
            key: key, size: fields[.contentLength].flatMap { Int($0) } ?? 0,
            time: time.map { WallTime(seconds: Int64($0)) })
    }
}

extension UploadFile {
    private static let piece = 1 << 20

    /// In hexadecimal digits; nil when it cannot be read. Blocks.
    fileprivate func sum(of range: Range<Int>) -> String? {
        var digest = DigestStream(.sha256)
        while digest.count < range.count {
            let length = min(Self.piece, range.count - digest.count)
            guard let bytes = try? self.read(at: range.lowerBound + digest.count, upTo: length), !bytes.isEmpty else {
                return nil
            }
            digest.update(bytes.span)
        }
        return Hex.encode(digest.value)
    }
}

/// Part of an upload, read as it is sent.
private final class UploadSource: HTTPBodySource {
    let length: Int
    private let upload: UploadFile
    private var rest: Range<Int>
    private let reactor: Reactor

    private static let piece = 256 << 10

    init(_ upload: UploadFile, _ range: Range<Int>, _ reactor: Reactor) {
        self.length = range.count
        self.upload = upload
        self.rest = range
        self.reactor = reactor
    }

    func next(_ give: @escaping ([UInt8]?) -> Void) {
        guard !self.rest.isEmpty else { return give([]) }
        let (upload, piece) = (self.upload, self.rest.prefix(Self.piece))
        self.rest = self.rest.dropFirst(piece.count)
        self.reactor.offload({ try? upload.read(at: piece.startIndex, upTo: piece.count) }) { bytes in
            give(bytes?.count == piece.count ? bytes : nil)
        }
    }
}
