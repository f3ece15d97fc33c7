package import Vocabulary

/// Whether a user has said something under this name before: then it is only repeated.
package struct FindRepetition: StoreRequest {
    private let client: MessageID
    private let actor: UserID

    package static let access = StoreAccess.reads
    package var asker: UserID? { self.actor }

    package init(of client: MessageID, by actor: UserID) {
        self.client = client
        self.actor = actor
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        try tables.entry(self.client, of: self.actor) != nil
    }
}
