/// Where the sound of a call comes from or goes to.
package protocol SoundEnd: AnyObject {
    /// A card: it has a pace of its own and works in small pieces.
    var isLive: Bool { get }
}

extension SoundEnd {
    package var isLive: Bool { false }
}
