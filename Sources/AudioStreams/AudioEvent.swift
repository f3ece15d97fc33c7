/// What happens in a stream of sound besides sound.
package enum AudioEvent: Hashable, Sendable {
    /// A key of the other side's telephone was pressed for so long.
    case key(Character, Duration)
    /// The stream goes on as another one: the numbers that it had mean nothing any more.
    case restarted
}
