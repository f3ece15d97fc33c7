internal import Conversing
package import Vocabulary

/// Which conversation stands under a name now. One that was dissolved is followed by another under the same name with a
/// number behind it, since what was said in the first stays its own.
package struct FindSuccession: StoreRequest {
    package let base: ConversationID

    package static let access = StoreAccess.reads

    package init(of base: ConversationID) { self.base = base }

    package struct Answer: Hashable, Sendable {
        /// The one that stands, or that comes next.
        package let id: ConversationID
        /// Nil where none stands.
        package let standing: ConversationRow?
    }

    package static let separator = ":"
    private static let maximumGenerations = 1 << 20

    package func perform(on tables: some Tables) throws(StoreError) -> Answer {
        guard try self.isOver(1, tables) else { return try self.answer(1, tables) }
        var (over, next) = (1, 2)
        while next < Self.maximumGenerations, try self.isOver(next, tables) { (over, next) = (next, next * 2) }
        while next - over > 1 {
            let middle = (over + next) / 2
            if try self.isOver(middle, tables) { over = middle } else { next = middle }
        }
        return try self.answer(next, tables)
    }

    private func isOver(_ generation: Int, _ tables: some Tables) throws(StoreError) -> Bool {
        try tables.conversation(self.id(generation))?.dissolved != nil
    }

    private func answer(_ generation: Int, _ tables: some Tables) throws(StoreError) -> Answer {
        let id = self.id(generation)
        return Answer(id: id, standing: try tables.conversation(id))
    }

    private func id(_ generation: Int) -> ConversationID {
        generation == 1
            ? self.base : ConversationID("\(self.base.text)\(Self.separator)\(generation)") ?? self.base
    }
}
