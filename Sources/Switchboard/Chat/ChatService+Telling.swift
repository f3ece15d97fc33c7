internal import Clustering
internal import Keeping
internal import Operations
internal import Vocabulary

/// What is told and kept nowhere reaches its audience on all nodes.
extension ChatService {
    func tell(_ news: ChatNews, to audience: NodeNews.Telling.Audience) {
        self.tellHere(news, to: audience)
        self.feed.publish(.told(.init(news.event.rawValue, news.json, to: audience)))
    }

    /// What is asked for is told as soon as it is granted.
    func ask<Request: StoreRequest>(
        _ request: Request, telling news: ChatNews, to audience: NodeNews.Telling.Audience,
        _ completion: @escaping Completion<Void>
    ) where Request.Answer == Verdict<Void> {
        self.ask(request) { [unowned self] result in
            if case .success = result { self.tell(news, to: audience) }
            completion(result)
        }
    }

    /// As another node says.
    func heard(_ telling: NodeNews.Telling) {
        // A later version may tell events that this one does not know.
        guard let event = ServerEvent(rawValue: telling.event) else { return }
        self.tellHere(ChatNews(event, json: telling.json), to: telling.audience)
    }

    private func tellHere(_ news: ChatNews, to audience: NodeNews.Telling.Audience) {
        switch audience {
        case .members(let id, let user):
            for listener in self.feed.listeners(to: id) where listener.user != user { listener.hear(news) }
        case .member(let user, let id): self.tell(news, to: user, in: id)
        case .users(let users): for user in users { self.tellHere(news, user) }
        case .all: for user in self.feed.listening { self.tellHere(news, user) }
        }
    }

    private func tellHere(_ news: ChatNews, _ user: UserID) {
        for listener in self.feed.listeners(of: user) { listener.hear(news) }
    }
}
