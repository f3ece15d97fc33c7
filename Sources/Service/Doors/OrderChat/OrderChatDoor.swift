internal import Conversing
internal import HTTPServer
internal import Keeping
internal import Vocabulary

/// Chats between the driver and the passenger of an order, over plain HTTP.
struct OrderChatDoor: Door {
    static let name = "orderchat"
    static let keptFields = KeptFields(members: [OrderWords.body], idPrefixes: [OrderWords.prefix])
    static let reservedUsers = [OrderWords.speaker.text]

    private let replies: [OrderReply]

    init(_ settings: DoorSettings) { self.replies = settings.orderReplies }

    func addRoutes(to router: inout Router, _ site: DoorSite) { OrderRoutes(site: site).add(to: &router) }

    func makeEntryListener(_ dependencies: DoorDependencies) -> ((ChangeOutcome) -> Void)? {
        guard !self.replies.isEmpty else { return nil }
        let replies = OrderReplies(self.replies, dependencies.chat)
        return { replies.heard($0) }
    }
}
