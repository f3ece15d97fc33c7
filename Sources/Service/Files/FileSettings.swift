package import Keeping

/// How much of their files people may keep here, and for how long.
package struct FileSettings: Sendable {
    /// One file.
    package var maximumBytes = 2 << 30
    /// All files of one user, those under way included.
    package var allowance = FileAllowance(bytes: 10 << 30, uploads: 32)
    /// From an upload's beginning to its end.
    package var uploadLife = Duration.seconds(24 * 3600)
    /// How long a link to a file works, at least.
    package var linkLife = Duration.seconds(3600)
    /// How long a file stays that no message shows.
    package var unusedLife = Duration.seconds(24 * 3600)
    /// The program that measures recordings, `parley` itself; nil for none.
    package var measurer: String?
    /// Nil for the data directory.
    package var store: S3Settings?

    package init() {}
}
