import Conversing
import Keeping
import Vocabulary

/// Who may do what, as the documentation has it.
extension ChatModel {
    func allows(_ request: ChangeRequest) -> Bool {
        // Whoever asks again is answered again, whatever they may do by now.
        if let client = request.client, self.known[client] != nil { return true }
        switch request.address {
        case .id(let id): return self.talks[id]?.allows(request, self.blocks) ?? false
        case .user(let other, _):
            guard let id = self.directs[[request.actor, other]] else {
                return other == request.actor || !self.blocks.contains([other, request.actor])
            }
            return self.talks[id]?.allows(request, self.blocks) ?? false
        }
    }
}

extension ChatModel.Talk {
    fileprivate func allows(_ request: ChangeRequest, _ blocks: Set<[UserID]>) -> Bool {
        let actor = request.actor
        guard !self.isDissolved else { return false }
        if case .join = request.change {
            return self.kind == .room && self.members[actor] == nil && self.former[actor]?.wasRemoved != true
        }
        guard let place = self.members[actor] else { return false }
        let isBlocked =
            self.kind == .direct && self.members.keys.contains { blocks.contains([$0, actor]) && $0 != actor }
        let hasVoice = !place.isSilenced && !isBlocked
        switch request.change {
        case .post(let draft): return hasVoice && draft.reply.map { self.message($0) != nil } ?? true
        case .edit(let number, _): return hasVoice && self.standing(number)?.sender == actor
        case .recall(let number):
            return self.standing(number).map { $0.sender == actor || place.role >= .admin } ?? false
        case .react(let number, _, _): return hasVoice && self.standing(number) != nil
        case .invite(let users):
            let isWanted = users.contains {
                self.members[$0] == nil && !blocks.contains([$0, actor]) && self.mayBring($0, place.role)
            }
            return self.kind != .direct && isWanted
        default: return self.kind != .direct && self.allows(request.change, by: actor, place)
        }
    }

    /// Who was sent away is brought back by who leads.
    func mayBring(_ user: UserID, _ role: Role) -> Bool { role >= .admin || self.former[user]?.wasRemoved != true }

    /// What members do to members.
    private func allows(_ change: ConversationChange, by actor: UserID, _ place: ChatModel.Place) -> Bool {
        switch change {
        case .leave: return true
        case .remove(let user, _, _), .silence(let user, _, _):
            return self.members[user].map { place.role >= .admin && place.role > $0.role } ?? false
        case .setRole(let user, _): return place.role == .owner && self.members[user] != nil && user != actor
        default: return false
        }
    }

    private func message(_ number: UInt64) -> ChatModel.Line? {
        guard (1...UInt64(max(self.lines.count, 1))).contains(number) else { return nil }
        return self.lines.dropFirst(Int(number) - 1).first.flatMap { $0.sort == .message ? $0 : nil }
    }

    private func standing(_ number: UInt64) -> ChatModel.Line? {
        self.message(number).flatMap { $0.isRecalled ? nil : $0 }
    }
}
