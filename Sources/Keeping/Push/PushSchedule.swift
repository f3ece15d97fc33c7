package import Vocabulary

/// Something that a program on another server wants to be announced later, once or again and again.
package struct PushSchedule: Hashable, Sendable {
    package let id: String
    /// Which program made it.
    package let source: String
    /// In the words of whoever made it.
    package var content: [UInt8]
    /// When it is announced; nil when that is over, or as long as it is switched off.
    package var next: WallTime?
    package let created: WallTime

    package init(_ id: String, from source: String, _ content: [UInt8], next: WallTime?, created: WallTime) {
        self.id = id
        self.source = source
        self.content = content
        self.next = next
        self.created = created
    }
}
