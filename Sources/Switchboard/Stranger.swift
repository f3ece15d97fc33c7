internal import BinaryCoding
internal import Bytes
internal import Calling
internal import Vocabulary

/// A line that this node knows and has no socket for.
struct Stranger: BinaryCoded {
    let user: UserID
    /// Where it is; nil for one of our own that has left.
    let node: RandomToken?
    /// Each of them once.
    var rooms: [RoomName] = []
    /// Its node is gone, or has given it up; only its seats wait for their time to be over.
    var isGone = false
    /// Whether this node has sent something to it.
    var wasSentTo = false

    init(_ user: UserID, on node: RandomToken?) {
        self.user = user
        self.node = node
    }

    init(_ guest: Guest) {
        self.init(guest.user, on: nil)
        self.rooms = guest.rooms
        self.isGone = !guest.isKnown
    }

    init(_ guest: Guest, movedTo node: RandomToken) {
        self.init(guest.user, on: node)
        self.rooms = guest.rooms
    }

    init(_ known: Stranger, movedTo node: RandomToken) {
        self.init(known.user, on: node)
        self.rooms = known.rooms
    }

    func encode(into bytes: inout ByteWriter) { bytes.put(self.user, self.node, self.rooms, self.isGone) }

    init(from bytes: inout ByteReader) throws(ByteError) {
        self.init(try bytes.take(), on: try bytes.take())
        self.rooms = try bytes.take()
        self.isGone = try bytes.take()
    }
}
