import Conversing
import Keeping
import Vocabulary

/// What is kept, as dictionaries.
struct MemoryRows {
    struct Name: Hashable {
        let sender: UserID
        let client: MessageID
    }

    struct Device: Hashable {
        let user: UserID
        let device: DeviceID
    }

    var users: [UserID: UserRow] = [:]
    var families: [RandomToken: (family: RefreshFamily, used: WallTime)] = [:]
    var restrictions: [UserID: Restriction] = [:]
    var revoked: [String: RevokedToken] = [:]
    var calls: [CallID: StoredCall] = [:]
    var callsUnderWay: [CallID: CallUnderWay] = [:]
    var conversations: [ConversationKey: ConversationRow] = [:]
    var keys: [ConversationID: ConversationKey] = [:]
    var directs: [UserPair: ConversationKey] = [:]
    var members: [ConversationKey: [UserID: MemberRow]] = [:]
    var former: [ConversationKey: [UserID: FormerMember]] = [:]
    var places: [UserID: Set<ConversationKey>] = [:]
    var cursors: [Device: [ConversationKey: CursorRow]] = [:]
    var entries: [ConversationKey: [Entry]] = [:]
    var names: [Name: EntryKey] = [:]
    var reactions: [EntryKey: [String: Set<UserID>]] = [:]
    var blocks: [UserID: Set<UserID>] = [:]
    var words: [EntryKey: [Substring]] = [:]
    var files: [FileID: FileRow] = [:]
    var orphans: Set<FileID> = []
    var shown: [EntryKey: Set<FileID>] = [:]
    var uploads: [FileID: UploadRecord] = [:]
    var outbox: [DeliveryRow] = []
    var deliveries: Int64 = 0
    var eventPlaces: [RandomToken: (number: UInt64, time: WallTime)] = [:]
    var audit: [AuditRecord] = []
    var reports: [Report] = []
    var moderators: [UserID: Moderator] = [:]
    var wordRules: [String: WordRule] = [:]
    var doorRecords: [DoorRecord.Place: DoorRecord] = [:]
    var pushDevices: [PushDevice] = []
    var pushTags: [RegistrationID: Set<PushLabel>] = [:]
    var announcements: [Int64: Announcement] = [:]
    var receipts: [Int64: [Device: AnnouncementReceipt]] = [:]
    var pushSchedules: [String: PushSchedule] = [:]
    var treeOwner: String?
    var treeRows: [String: [UInt8]] = [:]
    var leftWrites: [LeftWrite] = []
    var pushes: [PushRow] = []
    var pushNumber: Int64 = 0
    var pushEvents: [(number: Int64, event: PushEvent)] = []
    var sanctions: [ConversationKey: [SanctionPlace: Sanction]] = [:]
}

/// The rows, and how many reads of them are allowed until one is found to be missing.
final class MemoryTables: Tables {
    var rows: MemoryRows
    let settings: StoreSettings
    /// Nothing is remembered beside the rows: an operation has to be right without.
    let cache: ConversationCache? = nil
    private var fetched = 0

    static let notFetched = StoreError(.other(code: 1), database: "memory", detail: "not fetched yet")

    init(_ rows: MemoryRows, _ settings: StoreSettings) {
        self.rows = rows
        self.settings = settings
    }

    /// A request begins, of whose reads the first `fetched` can be answered.
    func begin(fetched: Int) { self.fetched = fetched }

    /// Every read goes through here.
    func read<Value>(_ body: (MemoryRows) throws(StoreError) -> Value) throws(StoreError) -> Value {
        guard self.fetched > 0 else { throw Self.notFetched }
        self.fetched -= 1
        return try body(self.rows)
    }

    func transactionSnapshot() -> TransactionSnapshot { .alone }

    func check(_ isFree: Bool) throws(StoreError) {
        if !isFree { throw StoreError(.constraint, database: "memory", detail: "it is there already") }
    }
}
