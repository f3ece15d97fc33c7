internal import Vocabulary

/// Who listens to which conversation. It follows the members: who comes hears from then on, who goes no more.
struct Audience {
    private final class Seat {
        let listener: any ChatListener
        var conversations: Set<ConversationID>

        init(_ listener: any ChatListener, _ conversations: Set<ConversationID>) {
            self.listener = listener
            self.conversations = conversations
        }
    }

    private var seats: [ObjectIdentifier: Seat] = [:]
    private var users: [UserID: Set<ObjectIdentifier>] = [:]
    private var rows: [ConversationID: [ObjectIdentifier: any ChatListener]] = [:]

    var count: Int { self.seats.count }

    mutating func add(_ listener: any ChatListener, to conversations: [ConversationID]) {
        let name = ObjectIdentifier(listener)
        self.remove(listener)
        self.seats[name] = Seat(listener, Set(conversations))
        self.users[listener.user, default: []].insert(name)
        for id in conversations { self.rows[id, default: [:]][name] = listener }
    }

    mutating func remove(_ listener: any ChatListener) {
        let name = ObjectIdentifier(listener)
        guard let seat = self.seats.removeValue(forKey: name) else { return }
        self.users[listener.user]?.remove(name)
        if self.users[listener.user]?.isEmpty == true { self.users[listener.user] = nil }
        for id in seat.conversations { self.leave(name, id) }
    }

    mutating func came(_ user: UserID, to id: ConversationID) {
        for name in self.users[user] ?? [] {
            guard let seat = self.seats[name], seat.conversations.insert(id).inserted else { continue }
            self.rows[id, default: [:]][name] = seat.listener
        }
    }

    mutating func went(_ user: UserID, from id: ConversationID) {
        for name in self.users[user] ?? [] where self.seats[name]?.conversations.remove(id) != nil {
            self.leave(name, id)
        }
    }

    func listeners(to id: ConversationID) -> some Sequence<any ChatListener> {
        (self.rows[id] ?? [:]).values
    }

    func listeners(of user: UserID) -> [any ChatListener] {
        (self.users[user] ?? []).compactMap { self.seats[$0]?.listener }
    }

    func hears(_ listener: any ChatListener, _ id: ConversationID) -> Bool {
        self.seats[ObjectIdentifier(listener)]?.conversations.contains(id) ?? false
    }

    private mutating func leave(_ name: ObjectIdentifier, _ id: ConversationID) {
        self.rows[id]?[name] = nil
        if self.rows[id]?.isEmpty == true { self.rows[id] = nil }
    }
}
