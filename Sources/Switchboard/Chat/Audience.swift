internal import Keeping
internal import Vocabulary

/// Who listens to which conversation. It follows the members: who comes hears from then on, who goes no more.
struct Audience {
    private struct Place {
        let listener: any ChatListener
        /// Entries up to this number are known to the listener.
        var known: UInt64
    }

    private final class Seat {
        let listener: any ChatListener
        var conversations: Set<ConversationID>
        /// How far it heard the conversations that its user has left.
        var heard: [ConversationID: UInt64] = [:]

        /// Conversations of one line, beyond which one of them is forgotten.
        static let maximumHeard = 1000

        init(_ listener: any ChatListener, _ conversations: Set<ConversationID>) {
            self.listener = listener
            self.conversations = conversations
        }

        func left(_ id: ConversationID, heard number: UInt64) {
            self.conversations.remove(id)
            if self.heard.count >= Self.maximumHeard { self.heard.remove(at: self.heard.startIndex) }
            self.heard[id] = number
        }
    }

    private var seats: [ObjectIdentifier: Seat] = [:]
    private var users: [UserID: Set<ObjectIdentifier>] = [:]
    private var rows: [ConversationID: [ObjectIdentifier: Place]] = [:]

    var count: Int { self.seats.count }

    mutating func add(_ listener: any ChatListener, to heads: [ConversationHead]) {
        let name = ObjectIdentifier(listener)
        self.remove(listener)
        self.seats[name] = Seat(listener, Set(heads.map(\.id)))
        self.users[listener.user, default: []].insert(name)
        for head in heads { self.rows[head.id, default: [:]][name] = Place(listener: listener, known: head.number) }
    }

    mutating func remove(_ listener: any ChatListener) {
        let name = ObjectIdentifier(listener)
        guard let seat = self.seats.removeValue(forKey: name) else { return }
        self.users[listener.user]?.remove(name)
        if self.users[listener.user]?.isEmpty == true { self.users[listener.user] = nil }
        for id in seat.conversations { self.leave(name, id) }
    }

    /// False when the user has no line here, or listened before.
    ///
    /// - Parameter isEstimate: `head` may be before what a line heard until it left; it is told nothing twice.
    @discardableResult
    mutating func came(_ user: UserID, to head: ConversationHead, isEstimate: Bool = false) -> Bool {
        var isNews = false
        for name in self.users[user] ?? [] {
            guard let seat = self.seats[name], seat.conversations.insert(head.id).inserted else { continue }
            let heard = seat.heard.removeValue(forKey: head.id) ?? 0
            let known = isEstimate ? max(head.number, heard) : head.number
            self.rows[head.id, default: [:]][name] = Place(listener: seat.listener, known: known)
            isNews = true
        }
        return isNews
    }

    /// Who has come again since knows of it and stays.
    ///
    /// - Parameter heard: the last number that the user's lines have heard; that of `head` by default.
    mutating func went(_ user: UserID, from head: ConversationHead, heard: UInt64? = nil) {
        for name in self.users[user] ?? [] {
            guard let place = self.rows[head.id]?[name], place.known < head.number else { continue }
            self.seats[name]?.left(head.id, heard: max(place.known, heard ?? head.number))
            self.leave(name, head.id)
        }
    }

    func hasListeners(to id: ConversationID) -> Bool { self.rows[id] != nil }

    func listeners(to id: ConversationID) -> some Sequence<any ChatListener> {
        (self.rows[id] ?? [:]).values.lazy.map(\.listener)
    }

    /// Those who do not know the entry yet.
    func listeners(to head: ConversationHead) -> some Sequence<any ChatListener> {
        (self.rows[head.id] ?? [:]).values.lazy.filter { $0.known < head.number }.map(\.listener)
    }

    /// Whoever listens by now has heard everything up to there.
    mutating func know(_ head: ConversationHead) {
        guard var places = self.rows[head.id] else { return }
        for place in places.values.indices {
            places.values[place].known = max(places.values[place].known, head.number)
        }
        self.rows[head.id] = places
    }

    /// Everybody who listens.
    var listening: [UserID] { Array(self.users.keys) }

    /// What at least one, and what each of the user's lines listens to.
    func conversations(of user: UserID) -> (ofAny: Set<ConversationID>, ofAll: Set<ConversationID>) {
        let sets = (self.users[user] ?? []).compactMap { self.seats[$0]?.conversations }
        let all = sets.dropFirst().reduce(sets.first ?? []) { $0.intersection($1) }
        return (sets.reduce([]) { $0.union($1) }, all)
    }

    func listeners(of user: UserID) -> [any ChatListener] {
        (self.users[user] ?? []).compactMap { self.seats[$0]?.listener }
    }

    func hears(_ listener: any ChatListener, _ id: ConversationID) -> Bool {
        self.seats[ObjectIdentifier(listener)]?.conversations.contains(id) ?? false
    }

    /// What the listener hears, and up to where it knew each when it began.
    func heads(of listener: any ChatListener) -> [ConversationHead] {
        let name = ObjectIdentifier(listener)
        return (self.seats[name]?.conversations ?? []).compactMap { id in
            self.rows[id]?[name].map { ConversationHead(id, $0.known) }
        }
    }

    private mutating func leave(_ name: ObjectIdentifier, _ id: ConversationID) {
        self.rows[id]?[name] = nil
        if self.rows[id]?.isEmpty == true { self.rows[id] = nil }
    }
}
