/// What a NOTIFY said, to those who LISTEN to its channel.
package struct PostgresNotification: Hashable, Sendable {
    package let channel: String
    package let payload: String
    /// The server's process that it came from.
    package let sender: Int32
}

/// Where a session stands between BEGIN and COMMIT.
package enum PostgresTransaction: Hashable, Sendable {
    case none, open
    /// Something in it has failed; it can only be rolled back.
    case failed
    case unknown
}
