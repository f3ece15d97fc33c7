internal import BinaryCoding
internal import Bytes
internal import Keeping
internal import Vocabulary

/// What the service knows of a line that goes on at another node, beside its seats, which all nodes know.
struct PlaceContext: BinaryCoded {
    let user: UserID
    let name: DisplayName
    let device: DeviceID
    let blocked: [UserID]
    /// Whom it watches, and whether they were online.
    let watched: [UserID: Bool]
    let watchesEverybody: Bool
    /// How far it was told what is said; nil where it does not listen.
    let heads: [ConversationHead]?
    let hasEcho: Bool

    func encode(into bytes: inout ByteWriter) {
        bytes.put(self.user, self.name, self.device, self.blocked, self.watched, self.watchesEverybody, self.hasEcho)
        bytes.put(self.heads?.map(\.id))
        bytes.put(self.heads?.map(\.number))
    }
}

extension PlaceContext {
    init(from bytes: inout ByteReader) throws(ByteError) {
        self.user = try bytes.take()
        self.name = try bytes.take()
        self.device = try bytes.take()
        self.blocked = try bytes.take()
        self.watched = try bytes.take()
        self.watchesEverybody = try bytes.take()
        self.hasEcho = try bytes.take()
        let (ids, numbers): ([ConversationID]?, [UInt64]?) = (try bytes.take(), try bytes.take())
        self.heads = ids.map { zip($0, numbers ?? []).map { ConversationHead($0, $1) } }
    }
}
