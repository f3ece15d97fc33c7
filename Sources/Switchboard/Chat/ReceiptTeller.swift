internal import Clustering
internal import Reactor
internal import Vocabulary

/// Tells how far users got: their own devices at once, the others at their pace. Lives on the loop of the sockets.
final class ReceiptTeller {
    private let feed: ChatFeed
    private let reactor: Reactor
    private var pacer = ReceiptPacer()
    /// What the others hear when their second is over.
    private var late: [ReceiptPacer.Place: (own: ChatNews, others: ChatNews)] = [:]

    init(_ feed: ChatFeed, on reactor: Reactor) {
        self.feed = feed
        self.reactor = reactor
    }

    private var now: Instant { Instant(milliseconds: Int64(clamping: self.reactor.now)) }

    /// - Parameter others: nil where they are too many.
    func tell(_ own: ChatNews, _ others: ChatNews?, at place: ReceiptPacer.Place) {
        guard let others else { return self.tellEverywhere(own, nil, at: place) }
        switch self.pacer.take(place, at: self.now) {
        case .now: return self.tellEverywhere(own, others, at: place)
        case .waiting: break
        case .later(let wait): self.reactor.schedule(after: wait) { [weak self] in self?.tellLate(place) }
        }
        self.late[place] = (own, others)
        self.tellEverywhere(own, nil, at: place)
    }

    private func tellLate(_ place: ReceiptPacer.Place) {
        guard let (own, others) = self.late.removeValue(forKey: place) else { return }
        self.pacer.told(place, at: self.now)
        for listener in self.feed.listeners(to: place.conversation) where listener.user != place.user {
            listener.hear(others)
        }
        self.publish(own, others, at: place)
    }

    private func tellEverywhere(_ own: ChatNews, _ others: ChatNews?, at place: ReceiptPacer.Place) {
        self.tellHere(own, others, at: place)
        self.publish(own, others, at: place)
    }

    func tellHere(_ own: ChatNews, _ others: ChatNews?, at place: ReceiptPacer.Place) {
        for listener in self.feed.listeners(to: place.conversation) {
            if listener.user == place.user { listener.hear(own) } else if let others { listener.hear(others) }
        }
    }

    private func publish(_ own: ChatNews, _ others: ChatNews?, at place: ReceiptPacer.Place) {
        guard self.feed.hasPeers else { return }
        let told = NodeNews.Receipt(place.conversation, of: place.user, own: own.json, others: others?.json)
        self.feed.publish(.receipt(told))
    }
}
