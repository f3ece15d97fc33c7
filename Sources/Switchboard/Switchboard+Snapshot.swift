internal import BinaryCoding
internal import Bytes
internal import Calling
internal import Clustering
internal import Operations
internal import Vocabulary

/// How everything stands, for a node that comes later.
extension Switchboard {
    package func writeSnapshot() -> [UInt8] {
        self.onSnapshot()
        var bytes = ByteWriter()
        bytes.put(self.moment)
        self.presence.encode(into: &bytes)
        bytes.put(self.knownLines, self.names.faces)
        bytes.put(self.rooms.count)
        for (name, room) in self.rooms {
            bytes.put(name)
            room.encode(into: &bytes)
        }
        self.calls.encode(into: &bytes)
        bytes.put(self.lastEvent.series, self.lastEvent.number)
        return bytes.bytes
    }

    /// All lines, as strangers see them.
    private var knownLines: [SessionID: Stranger] {
        var lines = self.strangers
        let node = self.ledger?.node
        for (session, stranger) in self.strangers where stranger.node == nil {
            var ours = Stranger(stranger.user, on: node)
            (ours.rooms, ours.isGone) = (stranger.rooms, stranger.isGone)
            lines[session] = ours
        }
        for guest in self.guests.values where guest.isKnown {
            var ours = Stranger(guest.user, on: node)
            ours.rooms = guest.rooms
            lines[guest.session] = ours
        }
        return lines
    }

    package func adopt(_ snapshot: [UInt8]) -> Bool {
        do throws(ByteError) {
            try self.adopt(from: snapshot.span)
            return true
        } catch {
            return false
        }
    }

    private func adopt(from snapshot: Span<UInt8>) throws(ByteError) {
        var bytes = ByteReader(snapshot)
        let moment: Instant = try bytes.take()
        var (presence, outbox) = (self.presence, PresenceOutbox())
        try presence.adopt(from: &bytes, into: &outbox)
        let lines: [SessionID: Stranger] = try bytes.take()
        let faces: [UserID: ProfileSummary] = try bytes.take()
        var rooms: [RoomName: RoomMachine] = [:]
        for _ in 0..<max(0, try bytes.take(Int.self)) {
            let name: RoomName = try bytes.take()
            rooms[name] = try RoomMachine(from: &bytes, settings: self.roomSettings)
        }
        let calls = try CallTable(from: &bytes, settings: self.settings.calls)
        let event = EventPlace(try bytes.take(), try bytes.take())
        (self.moment, self.presence, self.rooms, self.calls) = (moment, presence, rooms, calls)
        self.names.adopt(faces, linesOf: lines.values.filter { !$0.isGone }.map(\.user))
        self.takeOver(lines)
        self.presenceOutbox = outbox
        // What others have done is theirs to say.
        self.origin = .past
        self.tellPresence()
        self.lastEvent = event
    }

    /// What others know of our lines is what counts, until we say otherwise.
    private func takeOver(_ lines: [SessionID: Stranger]) {
        let left = self.strangers.filter { $0.value.node == nil }
        self.strangers = lines.filter { self.guests[$0.key] == nil }
        for session in left.keys where lines[session] != nil {
            self.strangers[session].map { known in
                var ours = Stranger(known.user, on: nil)
                (ours.rooms, ours.isGone) = (known.rooms, known.isGone)
                self.strangers[session] = ours
            }
        }
        for guest in self.guests.values {
            let known = lines[guest.session]
            guest.isKnown = known?.isGone == false
            let rooms = known?.rooms ?? []
            let lost = guest.rooms.filter { !rooms.contains($0) }
            guest.rooms = rooms
            for room in lost { self.tell(.dismissed(room, .lost), to: guest.session) }
        }
    }
}
