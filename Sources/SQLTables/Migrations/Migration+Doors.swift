extension Migration {
    /// What doors keep for their programs beside conversations.
    static let doorRecords = Migration(
        """
        CREATE TABLE door_records (
            book TEXT NOT NULL,
            name TEXT NOT NULL,
            user TEXT,
            value TEXT NOT NULL,
            time INTEGER NOT NULL,
            PRIMARY KEY (book, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX door_records_by_user ON door_records (user) WHERE user IS NOT NULL;
        """)
}
