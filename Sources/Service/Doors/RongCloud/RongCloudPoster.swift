internal import Conversing
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary

/// Writes what programs say into conversations, and begins those that there are not yet.
struct RongCloudPoster {
    let chat: ChatService

    typealias Done = (Result<ChangeOutcome, RequestError>) -> Void

    static let unknown = RequestError(.notFound, "there is no such group")

    init(_ chat: ChatService) { self.chat = chat }

    /// Nobody hears what is said to a group that there is not.
    func post(_ draft: Draft, by sender: UserID, into place: ConversationID, _ done: @escaping Done) {
        self.chat.fetch(FindSuccession(of: place)) { result in
            guard case .success(let found) = result, let row = found.standing else {
                return done(result.flatMap { _ in .failure(Self.unknown) })
            }
            self.post(draft, by: sender, to: row.id, done)
        }
    }

    func post(
        _ draft: Draft, by sender: UserID, to user: UserID, asksBlocks: Bool, _ done: @escaping Done
    ) {
        var change = ChangeRequest(.user(user, new: self.chat.newID()), .post(draft), by: sender, at: self.chat.now)
        change.isPublished = !asksBlocks
        self.chat.change(change, isByServer: true, done)
    }

    /// - Parameter client: by which what is said twice is known.
    func post(
        _ draft: Draft, by sender: UserID, to id: ConversationID, as client: MessageID? = nil, _ done: @escaping Done
    ) {
        var change = ChangeRequest(.id(id), .post(draft), by: sender, as: client, at: self.chat.now)
        change.isPublished = true
        self.chat.change(change, isByServer: true, done)
    }

    /// In a conversation in which the server speaks and one user reads. It begins with its first word.
    func post(
        _ draft: Draft, by sender: UserID, entitled title: DisplayName?, in id: ConversationID, with user: UserID,
        as client: MessageID? = nil, _ done: @escaping Done
    ) {
        self.post(draft, by: sender, to: id, as: client) { result in
            guard case .failure(let error) = result, error.code == .notFound else { return done(result) }
            let creation = CreationRequest(id, .system, title: title, by: sender, with: [user], at: self.chat.now)
            self.chat.create(creation, isByServer: true) { result in
                // Another request may have begun it meanwhile.
                if case .failure(let error) = result, error.code != .conflict { return done(result) }
                self.post(draft, by: sender, to: id, as: client, done)
            }
        }
    }

    func post(
        _ draft: Draft, by sender: UserID, entitled title: DisplayName?, inSystemOf user: UserID,
        as client: MessageID? = nil, _ done: @escaping Done
    ) {
        let id = RongCloudPlace.system(from: sender, to: user)
        self.post(draft, by: sender, entitled: title, in: id, with: user, as: client, done)
    }
}
