internal import Bytes
internal import Client
internal import FileTypes
internal import Files
internal import HTTPServer
internal import Hashing
internal import Journal
internal import Reactor
internal import S3
internal import System
internal import Vocabulary
internal import Web

/// Contents in an S3 store. Clients are sent there with links, unless it is one that only this server reaches.
///
/// Nothing is acknowledged before the store has it: until then the upload lies on this node's disk, and can be finished once more.
final class S3Store: BlobStore {
    private let client: S3Client
    private let asking: BlockingS3
    private let folder: FileFolder
    private let bench: Workbench
    private let passesThrough: Bool
    /// Whether other nodes may put and remove as well.
    private let hasOthers: Bool
    private let pins = Locked(BlobPins())
    private let removing = Locked<Set<ContentHash>>([])
    private let conditions = Locked(true)
    private let journal: Journal

    /// Other nodes learn of each other's contents by the database alone: what was put so short a time ago may not be in it yet, and what
    /// is older than half of that is put anew when it comes again, so that nobody removes it meanwhile.
    private static let settlingTime = Duration.seconds(3600)
    /// As long as an upload may take.
    private static let leftoverTime = Duration.seconds(24 * 3600)
    private static let pauseBehindRemoval = Duration.milliseconds(50)
    private static let maximumThumbnailBytes = 4 << 20
    private static let piece = 8 << 20

    /// - Parameter folder: for uploads that are under way.
    init(
        _ settings: S3Settings, _ client: S3Client, on loop: EventLoop, _ folder: FileFolder, _ bench: Workbench,
        hasOthers: Bool, _ journal: Journal
    ) {
        self.client = client
        self.asking = BlockingS3(client: client, loop: loop)
        self.folder = folder
        self.bench = bench
        self.passesThrough = settings.passesThrough
        self.hasOthers = hasOthers
        self.journal = journal
    }

    private func trouble(_ problem: S3Problem) -> FileTrouble {
        FileTrouble(problem.reason == .missing ? .missing : .store("\(problem)"), "\(self.client.address)")
    }
}

// MARK: - Keeping

extension S3Store {
    func keep(_ upload: UploadFile, on reactor: Reactor, _ done: @escaping (Result<KeptFile, FileTrouble>) -> Void) {
        let folder = self.folder
        let back = reactor.returning { (result: Result<KeptFile, FileTrouble>) in
            switch result {
            case .failure: done(result)
            case .success(let file): self.bring(upload, file, on: reactor, done)
            }
        }
        let isTaken = self.bench.post { back(Result { () throws(FileTrouble) in try folder.look(at: upload) }) }
        if !isTaken { done(.failure(.busy)) }
    }

    private func bring(
        _ upload: UploadFile, _ file: KeptFile, on reactor: Reactor,
        _ done: @escaping (Result<KeptFile, FileTrouble>) -> Void
    ) {
        self.pins.withLock { $0.pin(file.hash) }
        guard !self.removing.withLock({ $0.contains(file.hash) }) else {
            self.pins.withLock { $0.unpin(file.hash) }
            reactor.schedule(after: Self.pauseBehindRemoval) { self.bring(upload, file, on: reactor, done) }
            return
        }
        S3Deposit(self.client, upload, file, on: reactor, self.conditions, isKnown: { self.mayStay($0) }) { problem in
            guard let problem else { return done(.success(file)) }
            self.pins.withLock { $0.unpin(file.hash) }
            done(.failure(self.trouble(problem)))
        }
        .start()
    }

    private func mayStay(_ item: S3List.Item) -> Bool {
        !self.hasOthers || !self.isOlder(item, than: Self.settlingTime / 2)
    }

    private func isOlder(_ item: S3List.Item, than age: Duration) -> Bool {
        guard let time = item.time else { return true }
        return time + age < SystemClock.now()
    }

    func settled(_ hash: ContentHash, _ upload: FileID?) {
        if let upload { self.folder.removeUpload(upload) }
        self.pins.withLock { $0.unpin(hash) }
    }
}

// MARK: - Giving it out

extension S3Store {
    func send(_ blob: Blob, to exchange: HTTPExchange, orElse refuse: @escaping (FileProblem) -> Void) {
        guard !self.passesThrough else { return S3Passage(self.client, blob, exchange, orElse: refuse).start() }
        var response = HTTPResponse(.temporaryRedirect)
        response.head.fields.set(.location, to: self.client.link(exchange.request.method, to: blob))
        // Whoever keeps it for so long finds a link that still works.
        let life = min(blob.life, Int64(self.client.address.linkSeconds / 2))
        response.head.fields.set(.cacheControl, to: life > 0 ? "private, max-age=\(life)" : "no-store")
        response.head.fields.set("Cross-Origin-Resource-Policy", to: "cross-origin")
        response.head.fields.set("Referrer-Policy", to: "no-referrer")
        exchange.respond(response)
    }

    func bytes(of hash: ContentHash, isThumbnail: Bool, upTo limit: Int) -> [UInt8]? {
        let request = S3Request.get(self.client.names.key(of: hash, isSmall: isThumbnail), 0..<(limit + 1))
        guard let bytes = try? self.asking.ask(request).body else { return nil }
        return bytes.count <= limit ? bytes : nil
    }
}

// MARK: - Small pictures

extension S3Store {
    func thumbnailSize(of file: KeptFile) -> PictureSize? {
        let request = S3Request.get(self.client.names.key(of: file.hash, isSmall: true), 0..<FileType.lookedAt)
        guard let front = try? self.asking.ask(request).body else { return nil }
        return PictureSize(of: Thumbnailer.form(of: file.type), in: front.span)
    }

    func copy(of file: KeptFile, from upload: FileID?) -> FileCopy? {
        if let copy = upload.flatMap({ self.folder.copy(of: $0) }) { return copy }
        return try? self.folder.copy { draft throws(FileTrouble) in try self.fetch(file, into: draft) }
    }

    private func fetch(_ file: KeptFile, into draft: UploadFile) throws(FileTrouble) {
        let key = self.client.names.key(of: file.hash)
        while draft.count < file.size {
            let range = draft.count..<min(file.size, draft.count + Self.piece)
            let bytes: [UInt8]
            do throws(S3Problem) {
                bytes = try self.asking.ask(.get(key, range)).body
            } catch {
                throw self.trouble(error)
            }
            guard bytes.count == range.count else { throw FileTrouble(.damaged, key) }
            try draft.append(bytes)
        }
    }

    func keepThumbnail(_ bytes: [UInt8], of file: KeptFile) throws(FileTrouble) {
        let key = self.client.names.key(of: file.hash, isSmall: true)
        let sum = Hex.encode(Digest.sha256.hash(bytes))
        let type = Thumbnailer.form(of: file.type).mediaType
        do throws(S3Problem) {
            _ = try self.asking.ask(.put(key, type: type, sum: sum, isNew: false), body: bytes)
        } catch {
            throw self.trouble(error)
        }
    }
}

// MARK: - Throwing away

extension S3Store {
    func beginSweep() -> Bool { self.pins.withLock { $0.sweepBegan() } }
    func endSweep() { self.pins.withLock { $0.sweepEnded() } }

    func contents(ofFolder number: Int) -> [ContentHash] {
        var hashes: [ContentHash] = []
        do throws(S3Problem) {
            try self.asking.list(self.client.names.start(ofFolder: number)) { items in
                for item in items where !self.hasOthers || self.isOlder(item, than: Self.settlingTime) {
                    if let hash = self.client.names.hash(of: item.key) { hashes.append(hash) }
                }
            }
        } catch {
            self.note(error)
        }
        return hashes
    }

    func remove(_ hashes: [ContentHash]) -> Int {
        var count = 0
        for hash in hashes {
            let isOurs = self.removing.withLock { $0.insert(hash).inserted }
            defer { if isOurs { self.removing.withLock { _ = $0.remove(hash) } } }
            guard isOurs, self.pins.withLock({ $0.mayRemove(hash) }) else { continue }
            do throws(S3Problem) {
                guard try self.mayRemove(hash) else { continue }
                try self.remove(self.client.names.key(of: hash, isSmall: true))
                try self.remove(self.client.names.key(of: hash))
                count += 1
            } catch {
                // The next sweep finds what is left.
                self.note(error)
                return count
            }
        }
        return count
    }

    /// Once: what comes late could meet what was put anew. Some stores say that there was none.
    private func remove(_ key: String) throws(S3Problem) {
        do throws(S3Problem) {
            _ = try self.asking.ask(.remove(key), attempts: 1)
        } catch {
            guard error.reason == .missing else { throw error }
        }
    }

    private func mayRemove(_ hash: ContentHash) throws(S3Problem) -> Bool {
        guard self.hasOthers else { return true }
        let key = self.client.names.key(of: hash)
        do throws(S3Problem) {
            return self.isOlder(S3List.Item(key, try self.asking.ask(.head(key)).fields), than: Self.settlingTime)
        } catch {
            guard error.reason == .missing else { throw error }
            return false
        }
    }

    func removeLeftovers() {
        do throws(S3Problem) {
            let answer = try self.asking.ask(.listUploads(self.client.names.startOfAll))
            for item in (try? S3List(parsing: answer.body))?.items ?? [] {
                guard let upload = item.upload, self.isOlder(item, than: Self.leftoverTime) else { continue }
                _ = try self.asking.ask(.abandon(upload, item.key), attempts: 1)
            }
        } catch {
            self.note(error)
        }
    }

    private func note(_ problem: S3Problem) {
        guard problem.reason != .missing else { return }
        self.journal.error(.filesNotSwept, "old files could not be swept out", [.error: .plain("\(problem)")])
    }
}
