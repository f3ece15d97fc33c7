/// How many, how large, and for how long.
package struct ConversationSettings: Hashable, Sendable {
    package var maximumMembers = 10_000
    /// So many people can be invited at once, and be mentioned in one message.
    package var maximumNames = 100
    /// A message's body.
    package var maximumBodyBytes = 64 << 10
    /// The same of what a program on another server says in a user's name.
    package var maximumPublishedBytes = 256 << 10
    /// Different signs under one message, and those of one person.
    package var maximumReactions = 50
    package var maximumReactionsOfOne = 10
    /// Messages that are pinned in one conversation.
    package var maximumPins = 100
    /// Conversations that users begin, join or are brought into; what the server opens for them does not count.
    package var maximumConversations = 10_000
    /// What one user adds to all conversations in a day, with 256 bytes for each entry beside its words.
    package var maximumDailyBytes = 256 << 20
    /// People one user blocks: they are known to the server for as long as their user is there.
    package var maximumBlocked = 1000
    /// How long its sender may change a message or take it back. Who leads a group may take back any, at any time.
    package var secondThoughts: Duration = .seconds(24 * 3600)
    /// A member who types and says nothing further has stopped.
    package var typingTime: Duration = .seconds(6)
    /// What only the server may put into messages and ids.
    package var keptFields = KeptFields()

    package init() {}
}
