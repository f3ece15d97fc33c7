internal import Conversing
internal import JSON
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary

/// `/push`: notifications for users whom a program chooses by id or tag, with a message or without.
struct RongCloudPushes {
    private let visit: RongCloudVisit

    private static let users = 1...1000
    private static let maximumTags = 20
    private static let maximumListed = 100_000
    private static let portion = 1000

    init(_ visit: RongCloudVisit) { self.visit = visit }

    fileprivate struct Request {
        let platforms: Set<String>
        let users: [UserID]
        let allTags: [String]
        let anyTags: [String]
        let isToAll: Bool
        let alert: String
        let title: String?
        let extras: [String: LooseObject]
        let message: (draft: Draft, sender: UserID)?
    }

    func push(_ body: [UInt8]) throws(RongCloudProblem) {
        let request = try Self.request(try RongCloudForm.object(body))
        if request.isToAll {
            try self.visit.take(1, of: .broadcastsAnHour)
            try self.visit.take(1, of: .broadcastsADay)
        }
        let id = RandomToken.fresh()
        self.visit.answer { $0.field("id", id.text) }
        self.choose(request) { self.tell($0[...], request, id) }
    }

    /// For users alone, without a message.
    func pushToUsers(_ body: [UInt8]) throws(RongCloudProblem) {
        var object = try RongCloudForm.object(body)
        var audience = LooseObject()
        audience["userid"] = object["userIds"]
        object["audience"] = audience.json
        object["platform"] = object["platform"] ?? Array(#"["ios","android"]"#.utf8)
        object["message"] = nil
        let request = try Self.request(object)
        let id = RandomToken.fresh()
        self.visit.answer { $0.field("id", id.text) }
        self.choose(request) { self.tell($0[...], request, id) }
    }

    private static func request(_ object: LooseObject) throws(RongCloudProblem) -> Request {
        guard let platforms = object.texts("platform"), !platforms.isEmpty else { throw .missing("platform") }
        guard let audience = object.object("audience") else { throw .missing("audience") }
        let notification = object.object("notification") ?? LooseObject()
        let (users, allTags, anyTags) = (
            audience.texts("userid") ?? [], audience.texts("tag") ?? [], audience.texts("tag_or") ?? []
        )
        guard users.count <= self.users.upperBound else { throw .illegal("userid", "at most \(self.users.upperBound)") }
        guard max(allTags.count, anyTags.count) <= self.maximumTags else {
            throw .illegal("tag", "at most \(self.maximumTags)")
        }
        let isToAll = audience.flag("is_to_all")
        guard isToAll || !(users.isEmpty && allTags.isEmpty && anyTags.isEmpty) else { throw .missing("audience") }
        var ids: [UserID] = []
        for user in users { ids.append(try RongCloudForm.user(user, "userid")) }
        let alert = notification.text("alert") ?? ""
        var extras: [String: LooseObject] = [:]
        for name in ["ios", "android"] { extras[name] = notification.object(name) }
        return Request(
            platforms: Set(platforms.map { $0.lowercased() }), users: ids, allTags: allTags, anyTags: anyTags,
            isToAll: isToAll, alert: alert, title: notification.text("title"), extras: extras,
            message: try self.message(object, alert))
    }

    private static func message(
        _ object: LooseObject, _ alert: String
    ) throws(RongCloudProblem) -> (draft: Draft, sender: UserID)? {
        guard let message = object.object("message") else { return nil }
        let sender = try RongCloudForm.user(object.text("fromuserid") ?? "", "fromuserid")
        guard let type = message.text("objectName"), var content = message.text("content") else {
            throw .missing("message")
        }
        // Some programs escape it once too often.
        if content.hasPrefix("%7B") { content = RongCloudForm(Array("c=\(content)".utf8))?["c"] ?? content }
        var items = [RongCloudForm.Item(name: "objectName", value: type), .init(name: "content", value: content)]
        if !alert.isEmpty { items.append(.init(name: "pushContent", value: alert)) }
        return (try RongCloudMessage(RongCloudForm(items: items)).draft(showing: nil), sender)
    }
}

// MARK: - For whom

extension RongCloudPushes {
    private func choose(_ request: Request, _ done: @escaping ([UserID]) -> Void) {
        if request.isToAll { return self.list([], done) }
        guard !request.users.isEmpty else { return self.listTagged(request, after: "", [], done) }
        guard !(request.allTags.isEmpty && request.anyTags.isEmpty) else { return done(request.users) }
        let places = request.users.map { DoorRecord.Place(RongCloudBook.tags, $0.text) }
        self.visit.chat.fetch(FindDoorRecords(places)) { result in
            guard case .success(let records) = result else { return }
            done(records.filter { request.fits($0) }.compactMap(\.user))
        }
    }

    private func list(_ users: [UserID], _ done: @escaping ([UserID]) -> Void) {
        let request = ListUserIDs(after: users.last?.text ?? "", limit: Self.portion)
        self.visit.chat.fetch(request) { result in
            guard case .success(let page) = result else { return }
            guard page.count == Self.portion, users.count < Self.maximumListed else { return done(users + page) }
            self.list(users + page, done)
        }
    }

    private func listTagged(
        _ request: Request, after name: String, _ users: [UserID], _ done: @escaping ([UserID]) -> Void
    ) {
        let page = ListDoorRecords(in: [RongCloudBook.tags], after: name, limit: Self.portion)
        self.visit.chat.fetch(page) { result in
            guard case .success(let records) = result else { return }
            let users = users + records.filter { request.fits($0) }.compactMap(\.user)
            guard records.count == Self.portion, users.count < Self.maximumListed, let last = records.last else {
                return done(users)
            }
            self.listTagged(request, after: last.place.name, users, done)
        }
    }
}

extension RongCloudPushes.Request {
    fileprivate func fits(_ record: DoorRecord) -> Bool {
        let tags = Set(record.tags)
        return tags.isSuperset(of: self.allTags) && (self.anyTags.isEmpty || !tags.isDisjoint(with: self.anyTags))
    }
}

// MARK: - Telling

extension RongCloudPushes {
    private func tell(_ users: ArraySlice<UserID>, _ request: Request, _ id: RandomToken) {
        guard let user = users.first else { return }
        let goOn = { self.tell(users.dropFirst(), request, id) }
        if let (draft, sender) = request.message {
            let poster = RongCloudPoster(self.visit.chat)
            return poster.post(draft, by: sender, entitled: DisplayName(sender.text), inSystemOf: user) { _ in goOn() }
        }
        guard let sender = self.visit.dependencies.push else { return }
        self.visit.chat.fetch(ListPushDevices(of: user)) { result in
            if case .success(let devices) = result {
                for device in devices where request.concerns(device) {
                    self.send(request, id, to: device, sender)
                }
            }
            goOn()
        }
    }

    private static let life = Duration.seconds(86_400)

    private func send(_ request: Request, _ id: RandomToken, to device: PushDevice, _ sender: PushSender) {
        let now = self.visit.chat.now
        let announcement = Announcement(
            now.milliseconds << 8, push: id, from: self.visit.key, name: nil, topic: id.text, [], created: now,
            expiry: now + Self.life, schedule: nil, next: nil)
        let (title, text, extras) = request.words(for: device)
        let isSilent = device.quiet?.contains(now) == true
        let message = PushMessage(
            announcement, isInstant: false, isSilent: isSilent, at: now,
            short: { $0.field("text", String(text.prefix(100))) }
        ) { json in
            json.optional("title", title)
            json.field("text", text)
            if let extras { json.field("extras", raw: extras.json) }
        }
        sender.send(.init(device: device, message: message, urgency: isSilent ? .low : .normal, ended: .init {}))
    }
}

extension RongCloudPushes.Request {
    private static func platform(_ device: PushDevice) -> String { PushKind(device) == .apns ? "ios" : "android" }

    fileprivate func concerns(_ device: PushDevice) -> Bool { self.platforms.contains(Self.platform(device)) }

    fileprivate func words(for device: PushDevice) -> (title: String?, text: String, extras: LooseObject?) {
        let own = self.extras[Self.platform(device)]
        return (own?.text("title") ?? self.title, own?.text("alert") ?? self.alert, own?.object("extras"))
    }
}
