internal import Clustering
internal import JSON
internal import Operations
package import Keeping
package import Vocabulary

/// Something a user wants of a conversation, for themselves.
package protocol Arrangement: StoreRequest where Answer == Verdict<Void> {
    var conversation: ConversationID { get }
    var user: UserID { get }
    /// Its name and value in `chat.arranged`.
    var member: (name: String, isOn: Bool) { get }
}

extension SetMuted: Arrangement {
    package var member: (name: String, isOn: Bool) { ("muted", self.isMuted) }
}

extension SetArchived: Arrangement {
    package var member: (name: String, isOn: Bool) { ("archived", self.isArchived) }
}

extension ChatService {
    /// All devices of the user hear of it, and nobody else.
    package func arrange(_ request: some Arrangement, _ completion: @escaping Completion<Void>) {
        let (name, isOn) = request.member
        let news = ChatNews(.chatArranged) { json in
            json.fields(("conversation", request.conversation.text)) { $0.field(name, isOn) }
        }
        self.ask(request, telling: news, to: .member(request.user, of: request.conversation), completion)
    }
}
