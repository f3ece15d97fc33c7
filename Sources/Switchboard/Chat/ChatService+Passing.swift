internal import Clustering
package import Conversing
package import Vocabulary
internal import JSON
internal import Operations

/// Something that is said and kept nowhere: it reaches whoever listens now.
package struct PassingMessage: Sendable {
    package let sender: UserID
    package let kind: MessageKind
    package let body: MessageBody
    /// Where it is said; nil where those who hear it have no conversation yet.
    package var conversation: ConversationID?

    package init(by sender: UserID, _ kind: MessageKind, _ body: MessageBody, in conversation: ConversationID? = nil) {
        self.sender = sender
        self.kind = kind
        self.body = body
        self.conversation = conversation
    }
}

extension ChatService {
    package enum PassingAudience: Sendable {
        /// Of its conversation, with or without the sender.
        case members(withSender: Bool)
        case users([UserID])
        case everybody
    }

    /// Lines of all nodes hear it; what it says counts for nothing else.
    package func pass(_ message: PassingMessage, to audience: PassingAudience) {
        let news = ChatNews(.chatPassing) { json in
            json.object { json in
                json.optional("conversation", message.conversation?.text)
                json.field("from", message.sender.text)
                json.field("kind", message.kind.text)
                json.field("body", raw: message.body.json)
                json.field("time", self.now.milliseconds)
            }
        }
        switch audience {
        case .members(let withSender):
            guard let id = message.conversation else { return }
            self.tell(news, to: .members(of: id, except: withSender ? nil : message.sender))
        case .users(let users): self.tell(news, to: .users(users))
        case .everybody: self.tell(news, to: .all)
        }
    }

    /// A program says that a user types in a conversation, or no longer does.
    package func passTyping(_ isOn: Bool, by user: UserID, in id: ConversationID) {
        self.tellTyping(in: id, user, isOn: isOn)
        self.feed.publish(.typing(id, user, isOn: isOn))
    }
}
