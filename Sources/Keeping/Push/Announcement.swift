package import Vocabulary

/// What a program on another server says to many devices at once: written down before it is answered, and until all of
/// them were told.
package struct Announcement: Hashable, Sendable {
    /// Rises with time, and fits into 53 bits.
    package let number: Int64
    /// By which its steps are found.
    package let push: RandomToken
    /// Which program says it.
    package let source: String
    /// By which the program recognises what it says twice.
    package let name: String?
    /// Those with the same one replace each other.
    package let topic: String
    /// In the words of whoever says it.
    package let content: [UInt8]
    package let created: WallTime
    package let expiry: WallTime
    /// By which appointment it was made.
    package let schedule: String?
    /// The next device is the one behind this registration; nil when all were told, or no more are to be.
    package var next: String?

    package init(
        _ number: Int64, push: RandomToken, from source: String, name: String?, topic: String, _ content: [UInt8],
        created: WallTime, expiry: WallTime, schedule: String?, next: String?
    ) {
        self.number = number
        self.push = push
        self.source = source
        self.name = name
        self.topic = topic
        self.content = content
        self.created = created
        self.expiry = expiry
        self.schedule = schedule
        self.next = next
    }
}
