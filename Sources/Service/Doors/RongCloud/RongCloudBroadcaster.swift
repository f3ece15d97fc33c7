internal import Bytes
internal import Conversing
internal import Hashing
internal import JSON
internal import Keeping
internal import Operations
internal import Reactor
internal import Switchboard
internal import Vocabulary

/// Says to everybody what a program wants said, one user after the other. What is left to do is in the store until it is done, so a
/// crash loses nothing; nobody hears it twice. Lives on the home loop.
final class RongCloudBroadcaster {
    private let dependencies: DoorDependencies
    private var running: Set<String> = []

    private static let portion = 100
    private static let maximum = 20
    private static let wait = Duration.seconds(1)

    init(_ dependencies: DoorDependencies) { self.dependencies = dependencies }

    /// What is written down before it is answered.
    static func record(_ form: RongCloudForm, _ id: String, after user: String = "", at now: WallTime) -> DoorRecord {
        let json = JSONWriter.object { json in
            json.field("after", user)
            json.object("form") { json in for item in form.items { json.field(item.name, item.value) } }
        }
        return DoorRecord(.init(RongCloudBook.broadcasts, id), String(decoding: json, as: UTF8.self), at: now)
    }

    /// What is left of earlier runs, and what is new.
    func resume() {
        guard self.dependencies.errands.isOurs else { return }
        self.ask(ListDoorRecords(in: [RongCloudBook.broadcasts], limit: Self.maximum)) { broadcaster, records in
            for record in records where broadcaster.running.insert(record.place.name).inserted {
                broadcaster.begin(record)
            }
        }
    }

    private func begin(_ record: DoorRecord) {
        guard let kept = LooseObject(Array(record.value.utf8)), let items = kept.object("form") else {
            return self.end(record.place.name)
        }
        let form = RongCloudForm(items: items.names.map { .init(name: $0, value: items.text($0) ?? "") })
        guard let message = try? RongCloudMessage(form), let sender = try? form.user("fromUserId") else {
            return self.end(record.place.name)
        }
        let draft = message.draft(showing: nil)
        self.ask(FindProfiles(of: [sender])) { broadcaster, profiles in
            let title = profiles.first?.shownName ?? DisplayName(sender.text)
            broadcaster.goOn(.init(record.place.name, form, draft, sender, title), after: kept.text("after") ?? "")
        }
    }

    private struct Run {
        let id: String
        let form: RongCloudForm
        let draft: Draft
        let sender: UserID
        let title: DisplayName?

        init(_ id: String, _ form: RongCloudForm, _ draft: Draft, _ sender: UserID, _ title: DisplayName?) {
            (self.id, self.form, self.draft, self.sender, self.title) = (id, form, draft, sender, title)
        }

        /// By which the message to one user is known when it is said again.
        func client(for user: UserID) -> MessageID? {
            MessageID("rcb-" + Hex.encode(Digest.sha256.hash("\(self.id)\n\(user.text)").prefix(16)))
        }
    }

    private func goOn(_ run: Run, after user: String) {
        self.ask(ListUserIDs(after: user, limit: Self.portion)) { broadcaster, users in
            guard let last = users.last else { return broadcaster.end(run.id) }
            broadcaster.say(run, to: users[...]) { broadcaster in
                let now = broadcaster.dependencies.chat.now
                let place = Self.record(run.form, run.id, after: last.text, at: now)
                broadcaster.ask(WriteDoorRecords([place])) { broadcaster, _ in broadcaster.goOn(run, after: last.text) }
            }
        }
    }

    private func say(
        _ run: Run, to users: ArraySlice<UserID>, _ done: @escaping (RongCloudBroadcaster) -> Void
    ) {
        guard let user = users.first else { return done(self) }
        let poster = RongCloudPoster(self.dependencies.chat)
        poster.post(
            run.draft, by: run.sender, entitled: run.title, inSystemOf: user, as: run.client(for: user)
        ) { [weak self] result in
            if case .failure(let error) = result, error.code == .unavailable {
                self?.later { $0.say(run, to: users, done) }
                return
            }
            self?.say(run, to: users.dropFirst(), done)
        }
    }

    private func end(_ id: String) {
        self.ask(WriteDoorRecords(removing: [.init(RongCloudBook.broadcasts, id)])) { broadcaster, _ in
            broadcaster.running.remove(id)
        }
    }

    /// Nothing that is asked is given up: the store has time again by and by.
    private func ask<Request: StoreRequest>(
        _ request: Request, _ answered: @escaping (RongCloudBroadcaster, Request.Answer) -> Void
    ) {
        self.dependencies.chat.fetch(request) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let answer): answered(self, answer)
            case .failure: self.later { $0.ask(request, answered) }
            }
        }
    }

    private func later(_ work: @escaping (RongCloudBroadcaster) -> Void) {
        _ = self.dependencies.reactor.schedule(after: Self.wait) { [weak self] in
            if let self { work(self) }
        }
    }
}

/// `message/broadcast`: a message of the system for everybody who has a profile here.
struct RongCloudBroadcast {
    private let visit: RongCloudVisit
    private static let maximum = 20

    init(_ visit: RongCloudVisit) { self.visit = visit }

    func publish(_ form: RongCloudForm) throws(RongCloudProblem) {
        _ = try RongCloudMessage(form)
        _ = try form.user("fromUserId")
        if let os = form["os"] {
            guard ["ios", "android"].contains(os.lowercased()) else { throw .illegal("os", "iOS or Android") }
        }
        try self.visit.take(1, of: .broadcastsAnHour)
        try self.visit.take(1, of: .broadcastsADay)
        let id = RandomToken.fresh().text
        let record = RongCloudBroadcaster.record(form, id, at: self.visit.chat.now)
        self.visit.write([record], maximum: Self.maximum) {
            self.visit.answer { $0.field("id", id) }
            self.visit.dependencies.errands.call()
        }
    }
}
