/// How rows of `lanes` go whose servers have ended. A server asks for its row only when it comes back to its connection, so one
/// that was paused has so much time to do so.
enum LaneSweep {
    static let every = Duration.seconds(3600)

    static let seen = "UPDATE lanes SET since = now() WHERE name = $1"
    static let remove = "DELETE FROM lanes WHERE since < now() - INTERVAL '30 days'"

    /// What is said to those whose commit was on its way for longer than that.
    static let forgotten = "this server was away for so long that what became of its last commit is not known"
}
