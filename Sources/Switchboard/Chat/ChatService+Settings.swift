internal import Clustering
internal import JSON
package import Keeping
internal import Operations
package import Vocabulary

/// Something that is set for all members of a conversation by those who lead it.
package protocol ConversationSetting: StoreRequest where Answer == Verdict<Void> {
    var conversation: ConversationID { get }
    /// Its name and value in `chat.settings`; 0 when it is over.
    var member: (name: String, value: Int64) { get }
}

extension SetSlowMode: ConversationSetting {
    package var member: (name: String, value: Int64) { ("slowSeconds", self.slowMode?.components.seconds ?? 0) }
}

extension SetRetention: ConversationSetting {
    package var member: (name: String, value: Int64) {
        ("retentionDays", (self.retention?.components.seconds ?? 0) / 86_400)
    }
}

extension ChatService {
    /// All members hear of it, who set it too.
    package func change(_ request: some ConversationSetting, _ completion: @escaping Completion<Void>) {
        let (name, value) = request.member
        let news = ChatNews(.chatSettings) { json in
            json.fields(("conversation", request.conversation.text)) { $0.field(name, value) }
        }
        self.ask(request, telling: news, to: .members(of: request.conversation, except: nil), completion)
    }
}
