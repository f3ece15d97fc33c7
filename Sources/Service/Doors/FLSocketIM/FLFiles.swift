internal import FileTypes
internal import HTTPServer
internal import JSON
internal import System
internal import Pacing
internal import Reactor
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// Where apps fetch files, without a token, and where they bring a picture of themselves before they have one.
struct FLFiles: Sendable {
    let desk: FileService
    let strangers: Locked<StrangerBook>

    /// All that strangers bring is kept in one name, and within what one user may keep.
    private static let owner = UserID("flsocketim") ?? { preconditionFailure("no user id") }()
    private static let maximumBytes = 5 << 20

    func add(to router: inout Router) {
        for folder in ["images/chatImages", "images/mapImages", "audios", "images"] {
            router.on(.get, "/\(folder)/:name", foreignPages: .answered) { exchange, parameters in
                self.send(parameters["name"] ?? "", FileVisit(exchange, self.desk))
            }
        }
        router.on(.post, "/uploadFiles") { exchange, _ in self.take(FileVisit(exchange, self.desk)) }
    }

    private func send(_ name: String, _ visit: FileVisit) {
        guard let (id, isSmall) = FLPaths.file(named: name) else { return visit.refuse(.notFound) }
        self.desk.store.send(
            FindFile(id, for: .anybody),
            visit.asking { file in
                guard let file else { return visit.refuse(.notFound) }
                FileRoutes(desk: self.desk).send(file, isSmall ? .thumbnail : .content, life: 3600, visit)
            })
    }

    private func take(_ visit: FileVisit) {
        let now = Instant(milliseconds: Int64(clamping: visit.reactor.now))
        guard self.strangers.withLock({ $0.lets(visit.exchange.client, at: now) }) else {
            return self.answer(visit, nil)
        }
        MultipartUpload.begin(visit, by: Self.owner, stay: .openForGood, atMost: Self.maximumBytes) { result in
            guard case .success(let file) = result, file.picture != nil else {
                if case .success(let file) = result {
                    self.desk.store.send(RemoveFile(file.id, of: Self.owner)) { _ in }
                }
                return self.answer(visit, nil)
            }
            self.answer(visit, FLPaths(file, for: "").file)
        }
    }

    private func answer(_ visit: FileVisit, _ path: String?) {
        let json = JSONWriter.object { json in
            json.members([("message", path == nil ? "上传文件失败" : "上传文件成功"), ("data", path ?? "")])
            json.field("code", path == nil ? -1 : 1)
        }
        visit.answer(.json(.ok, json))
    }
}

/// How many pictures each address may still bring: twenty at once, then one in ten seconds.
struct StrangerBook {
    private var buckets: [IPAddress: TokenBucket] = [:]

    private static let rate = TokenBucket.Rate(perSecond: 0.1, burst: 20)
    private static let maximumAddresses = 10_000

    mutating func lets(_ address: IPAddress, at now: Instant) -> Bool {
        if self.buckets.count >= Self.maximumAddresses {
            self.buckets = self.buckets.filter { $0.value.remaining(at: now) < Int(Self.rate.burst) }
            guard self.buckets.count < Self.maximumAddresses else { return false }
        }
        var bucket = self.buckets[address.clientPrefix] ?? TokenBucket(Self.rate, at: now)
        defer { self.buckets[address.clientPrefix] = bucket }
        return bucket.take(at: now) == nil
    }
}
