/// How many, how large, and for how long.
package struct ConversationSettings: Hashable, Sendable {
    package var maxMembers = 10_000
    /// So many people can be invited at once, and be mentioned in one message.
    package var maxNames = 100
    /// A message's body.
    package var maxBodyBytes = 64 << 10
    /// Different signs under one message, and those of one person.
    package var maxReactions = 50
    package var maxReactionsOfOne = 10
    /// How long its sender may change a message or take it back. Who leads a group may take back any, at any time.
    package var secondThoughts: Duration = .seconds(24 * 3600)
    /// Somebody who types and says nothing further has stopped.
    package var typingTime: Duration = .seconds(6)
    /// What nobody but the server may put into messages and ids.
    package var keptFields = KeptFields()

    package init() {}
}
