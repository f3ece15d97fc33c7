/// What becomes of a user who connects while another device of theirs is connected.
package enum SecondSignIn: String, Hashable, Sendable, CaseIterable {
    /// Both are.
    case together
    /// The later one is, and the others are told that they are out.
    case replace
    /// The first one is. A line that is broken, and may come back, is in nobody's way.
    case refuse
}
