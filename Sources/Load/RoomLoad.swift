internal import Client
internal import JSON
internal import Operations
internal import Pathways
internal import Vocabulary

/// Users sit in rooms of a size and signal to all others there.
final class RoomLoad: LoadActivity {
    private unowned let run: LoadRun
    private let size: Int
    private var pace: LoadPace
    private var rooms: [(name: RoomName, users: [LoadUser])] = []
    private var joined: [Int: RoomName] = [:]
    private var places: [Int: RoomName] = [:]
    /// When a signal left, and who has not heard it.
    private var sent: [Int: (since: Instant, missing: Set<Int>)] = [:]
    private var next = 0
    private var isOver = false
    private var joining = 0

    init(_ run: LoadRun) {
        self.run = run
        self.size = max(2, run.plan.roomSize)
        self.pace = LoadPace(perSecond: run.plan.signals)
    }

    func begin(at now: Instant) {
        let users = self.run.present
        for start in stride(from: 0, through: users.count - self.size, by: self.size) {
            guard let name = RoomName("load-\(self.run.name)-\(start)") else { continue }
            let members = Array(users[start..<(start + self.size)])
            self.rooms.append((name, members))
            self.run.count(.rooms)
            for user in members {
                self.places[user.index] = name
                self.join(user, name)
            }
        }
    }

    private func join(_ user: LoadUser, _ room: RoomName) {
        let since = SteadyClock.now
        self.joining += 1
        user.request(.room(.join), [Field.room(room), Field.roomKey(RoomKey())]) { result in
            self.joining -= 1
            switch result {
            case .failure(let error): self.run.complain("join: \(error)")
            case .success:
                self.run.took(.join, since: since)
                self.joined[user.index] = room
            }
        }
    }

    func ticked(at now: Instant) {
        let due = self.pace.due(at: now)
        guard !self.isOver, self.joining == 0, !self.rooms.isEmpty else { return }
        for _ in 0..<due { self.signal() }
    }

    private func signal() {
        let number = self.next
        self.next += 1
        let room = self.rooms[number % self.rooms.count]
        let speaker = room.users[number / self.rooms.count % room.users.count]
        guard speaker.isOnline, self.joined[speaker.index] != nil else { return }
        let others = room.users.lazy.filter { $0 !== speaker && $0.isOnline && self.joined[$0.index] != nil }
        self.sent[number] = (SteadyClock.now, Set(others.map(\.index)))
        let data = RawJSON { $0.field("load", number) }
        speaker.request(.signal, [Field.room(room.name), SignalContent.data.argument(data.bytes)]) { result in
            guard case .failure(let error) = result else { return }
            self.run.complain("signal: \(error)")
            self.sent[number] = nil
        }
    }

    func heard(_ event: ParleyEvent, by user: LoadUser) {
        switch event {
        case .signal(let signal):
            guard case .data(let data) = signal.content, let number = data.integer("load"),
                let since = self.sent[number]?.since
            else { return }
            self.run.took(.signal, since: since)
            self.run.count(.signals)
            self.heardOrGone(number, user)
        case .disconnected: self.joined[user.index] = nil
        case .recovered: self.joined[user.index] = self.places[user.index]
        case .connected: if let room = self.places[user.index] { self.join(user, room) }
        default: break
        }
    }

    /// Nothing is missed by who is not there.
    func gone(_ user: LoadUser) {
        self.joined[user.index] = nil
        for number in self.sent.keys { self.heardOrGone(number, user) }
    }

    private func heardOrGone(_ number: Int, _ user: LoadUser) {
        self.sent[number]?.missing.remove(user.index)
        if self.sent[number]?.missing.isEmpty == true { self.sent[number] = nil }
    }

    func stop() { self.isOver = true }

    var isSettled: Bool { self.sent.isEmpty }

    func end() {
        for signal in self.sent.values { self.run.count(.lostSignals, signal.missing.count) }
        self.sent.removeAll()
    }
}
