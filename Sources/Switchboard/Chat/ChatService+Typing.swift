internal import Calling
internal import Clustering
internal import Conversing
internal import JSON
internal import Operations
internal import Reactor
internal import Vocabulary

/// Who is typing.
extension ChatService {
    func typed(_ isOn: Bool, _ id: ConversationID, by guest: Guest) throws(RequestError) {
        guard let subscription = self.subscriptions[guest.session], self.feed.hears(subscription, id) else {
            throw RequestError(.notMember, "you do not listen to this conversation; ask for chat.sync first")
        }
        let place = TypingMachine.Place(id, guest.session)
        guard isOn else { return self.stopTyping(guest, in: id) }
        if self.typing.typed(place, at: self.instant) { self.tellTyping(place, guest.user, isOn: true) }
        self.armTyping()
    }

    func stopTyping(_ guest: Guest, in id: ConversationID) {
        let place = TypingMachine.Place(id, guest.session)
        if self.typing.stopped(place) { self.tellTyping(place, guest.user, isOn: false) }
    }

    func tellTyping(_ place: TypingMachine.Place, _ user: UserID, isOn: Bool) {
        self.tellTyping(in: place.conversation, user, isOn: isOn)
        self.feed.publish(.typing(place.conversation, user, isOn: isOn))
    }

    /// To the others only: users need not be told what they are typing themselves.
    func tellTyping(in id: ConversationID, _ user: UserID, isOn: Bool) {
        let news = ChatNews(.chatTyping, isVolatile: true) { json in
            json.fields(("conversation", id.text), ("user", user.text)) { $0.field("on", isOn) }
        }
        for listener in self.feed.listeners(to: id) where listener.user != user { listener.hear(news) }
        self.onTyping(id, user, isOn)
    }

    private func armTyping() {
        guard self.typingAlarm == nil, let deadline = self.typing.deadline else { return }
        let delay = max(.zero, self.instant.duration(to: deadline))
        let token = self.reactor.schedule(after: delay) { [unowned self] in
            self.typingAlarm = nil
            for place in self.typing.clockAdvanced(to: self.instant) {
                guard let guest = self.subscriptions[place.session]?.guest else { continue }
                self.tellTyping(place, guest.user, isOn: false)
            }
            self.armTyping()
        }
        self.typingAlarm = (token, deadline)
    }
}
