internal import Conversing
internal import JSON
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary

/// `/chatroom/…`: rooms that every user may come into. The server opens and ends them.
struct RongCloudRooms {
    private let visit: RongCloudVisit

    private static let rooms = 20
    private static let users = 1...1000
    private static let listed = 1...500

    init(_ visit: RongCloudVisit) { self.visit = visit }

    private var chat: ChatService { self.visit.chat }

    private struct Room {
        let name: String
        let place: ConversationID
        let title: DisplayName?

        init(_ name: String, title: String? = nil) throws(RongCloudProblem) {
            self.name = name
            self.place = try RongCloudPlace.room(name, "chatroomId")
            self.title = try RongCloudUsers.title(title, "chatroom")
        }
    }

    // MARK: - Beginning and ending

    /// `chatroom[10001]=name`: those that are there already stay as they are.
    func create(_ form: RongCloudForm) throws(RongCloudProblem) {
        let members = form.members(of: "chatroom")
        guard !members.isEmpty else { throw .missing("chatroom") }
        guard members.count <= Self.rooms else { throw .illegal("chatroom", "at most \(Self.rooms)") }
        var rooms: [Room] = []
        for (name, title) in members { rooms.append(try Room(name, title: title)) }
        self.create(rooms[...])
    }

    /// The newer form, for one room.
    func createNew(_ form: RongCloudForm) throws(RongCloudProblem) {
        let name = try form.required("chatroomId")
        self.create([try Room(name, title: name)])
    }

    private func create(_ rooms: ArraySlice<Room>) {
        guard let room = rooms.first else { return self.visit.answer() }
        self.visit.fetch(FindSuccession(of: room.place)) { found in
            guard found.standing == nil else { return self.create(rooms.dropFirst()) }
            var creation = CreationRequest(
                found.id, .room, title: room.title ?? DisplayName(room.name), by: RongCloudPlace.server,
                at: self.chat.now)
            creation.subject = RongCloudPlace.subject(of: room.name, in: found.id)
            self.chat.create(creation, isByServer: true) { result in
                if case .failure(let error) = result, error.code != .conflict {
                    return self.visit.refuse(RongCloudProblem(error))
                }
                self.create(rooms.dropFirst())
            }
        }
    }

    func destroy(_ form: RongCloudForm) throws(RongCloudProblem) {
        self.destroy(try self.rooms(form)[...])
    }

    private func destroy(_ rooms: ArraySlice<Room>) {
        guard let room = rooms.first else { return self.visit.answer() }
        self.visit.fetch(FindSuccession(of: room.place)) { found in
            guard let standing = found.standing else { return self.destroy(rooms.dropFirst()) }
            let change = ChangeRequest(.id(standing.id), .dissolve, by: RongCloudPlace.server, at: self.chat.now)
            self.chat.change(change, isByServer: true) { result in
                self.visit.unlessRefused(result) { _ in self.destroy(rooms.dropFirst()) }
            }
        }
    }

    /// Users come in by themselves, or are brought in by a program.
    func join(_ form: RongCloudForm) throws(RongCloudProblem) {
        let users = try form.users("userId", 1...50)
        let room = try Room(try form.required("chatroomId"))
        self.visit.fetch(FindSuccession(of: room.place)) { found in
            guard let standing = found.standing else { return self.visit.answer() }
            self.join(users[...], standing.id)
        }
    }

    private func join(_ users: ArraySlice<UserID>, _ id: ConversationID) {
        guard let user = users.first else { return self.visit.answer() }
        self.chat.change(ChangeRequest(.id(id), .join, by: user, at: self.chat.now), isByServer: true) { _ in
            self.join(users.dropFirst(), id)
        }
    }

    // MARK: - Questions

    func query(_ form: RongCloudForm) throws(RongCloudProblem) { self.query(try self.rooms(form)[...], []) }

    private func query(_ rooms: ArraySlice<Room>, _ found: [ConversationRow]) {
        guard let room = rooms.first else { return self.answer(found) }
        self.visit.fetch(FindSuccession(of: room.place)) {
            self.query(rooms.dropFirst(), found + ($0.standing.map { [$0] } ?? []))
        }
    }

    private func answer(_ rows: [ConversationRow]) {
        self.visit.answer { json in
            json.array("chatRooms", of: rows) { json, row in
                json.fields(
                    ("chrmId", RongCloudPlace.name(of: row)), ("name", row.title?.text ?? ""),
                    ("time", BeijingTime(row.created).text))
            }
        }
    }

    /// In the order in which they came.
    func listUsers(_ form: RongCloudForm) throws(RongCloudProblem) {
        let count = try form.number("count", in: Self.listed) ?? Self.listed.upperBound
        let isLatestFirst = try form.number("order", in: 1...2) == 2
        let room = try Room(try form.required("chatroomId"))
        self.visit.fetch(FindSuccession(of: room.place)) { found in
            guard let standing = found.standing else { return self.answer([], of: 0) }
            RongCloudMembers(self.visit).collect(in: standing.id) { members in
                self.visit.list(RongCloudBook.arrivals(in: standing.id), limit: RongCloudArrivals.maximum) { records in
                    let users = RongCloudArrivals.ordered(members, records, isLatestFirst: isLatestFirst)
                    self.answer(users.prefix(count), of: members.count)
                }
            }
        }
    }

    private func answer(_ users: ArraySlice<(UserID, WallTime?)>, of total: Int) {
        self.visit.answer { json in
            json.field("total", total)
            json.array("users", of: Array(users)) { json, user in
                json.object { json in
                    json.field("id", user.0.text)
                    json.optional("time", user.1.map { BeijingTime($0).text })
                }
            }
        }
    }

    func isUserThere(_ form: RongCloudForm) throws(RongCloudProblem) {
        let user = try form.user("userId")
        self.members(of: try Room(try form.required("chatroomId"))) { members in
            self.visit.answer { $0.field("isInChrm", members.contains(user)) }
        }
    }

    func areUsersThere(_ form: RongCloudForm) throws(RongCloudProblem) {
        let users = try form.users("userId", Self.users)
        self.members(of: try Room(try form.required("chatroomId"))) { members in
            let members = Set(members)
            self.visit.answer { json in
                json.array("result", of: users) { json, user in
                    json.fields(("userId", user.text)) { $0.field("isInChrm", members.contains(user) ? 1 : 0) }
                }
            }
        }
    }

    private func members(of room: Room, _ done: @escaping ([UserID]) -> Void) {
        self.visit.fetch(FindSuccession(of: room.place)) { found in
            guard let standing = found.standing else { return done([]) }
            RongCloudMembers(self.visit).collect(in: standing.id, done)
        }
    }

    private func rooms(_ form: RongCloudForm) throws(RongCloudProblem) -> [Room] {
        let names = form.values(of: "chatroomId")
        guard !names.isEmpty else { throw .missing("chatroomId") }
        guard names.count <= Self.rooms else { throw .illegal("chatroomId", "at most \(Self.rooms)") }
        var rooms: [Room] = []
        for name in names { rooms.append(try Room(name)) }
        return rooms
    }
}
