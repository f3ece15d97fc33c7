package import Clustering
internal import JSON
internal import Operations
package import Vocabulary

/// What other nodes say of conversations reaches those who listen here.
extension ChatService {
    /// From now on others write into the same store. Before anybody listens.
    package func join(_ post: any Post) { self.feed.join(post) }

    /// Something that others said may be lost.
    package func missedNews() { self.feed.lookAtEverything() }

    package func heard(_ news: NodeNews) {
        switch news {
        case .entry(let id, let number, let movesMembers):
            self.feed.heard(id, number, movesMembers: movesMembers)
        case .receipt(let receipt):
            let others = receipt.others.map { ChatNews(.chatReceipt, json: $0) }
            let own = ChatNews(.chatReceipt, json: receipt.own)
            self.tell(own, to: receipt.user, receipt: others, in: receipt.conversation)
        case .typing(let id, let user, let isOn): self.tellTyping(in: id, user, isOn: isOn)
        case .block(let other, let user, let isOn): self.onBlock(other, user, isOn)
        case .told(let telling): self.heard(telling)
        case .profile, .access, .read, .attempt, .errand, .words: break
        }
    }

    /// Of somebody who types elsewhere.
    package func showTyping(in id: ConversationID, _ user: UserID, isOn: Bool) {
        self.tellTyping(in: id, user, isOn: isOn)
        self.feed.publish(.typing(id, user, isOn: isOn))
    }
}
