internal import STUN
internal import Vocabulary

/// What counts of a check of theirs.
struct CheckRequest {
    let header: STUNHeader
    let path: PathID
    let address: SocketAddress
    let now: Instant
    let priority: UInt32
    let nominates: Bool
    let nomination: UInt32
    let wishes: Bool
    private let controlling: UInt64?
    private let controlled: UInt64?

    init(_ message: STUNMessage, _ path: PathID, _ address: SocketAddress, _ now: Instant) {
        self.header = message.header
        self.path = path
        self.address = address
        self.now = now
        self.priority = message.number(of: .priority) ?? 0
        self.nominates = message.has(.useCandidate)
        let nomination: UInt32? = message.number(of: .nomination)
        self.nomination = nomination ?? 1
        self.wishes = nomination != nil
        self.controlling = message.number(of: .iceControlling)
        self.controlled = message.number(of: .iceControlled)
    }

    /// Their number, when they claim the role that is ours.
    func tieBreaker(inRole role: ICERole) -> UInt64? { role == .controlling ? self.controlling : self.controlled }

    static func known(_ type: STUNAttributeType) -> Bool {
        switch type {
        case .username, .priority, .useCandidate, .messageIntegrity, .messageIntegritySHA256, .mappedAddress: true
        default: false
        }
    }
}
