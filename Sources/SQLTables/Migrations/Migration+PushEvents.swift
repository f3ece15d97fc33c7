extension Migration {
    /// What happened to pushes lately.
    static let pushEvents = Migration(
        """
        CREATE TABLE push_events (
            number INTEGER PRIMARY KEY,
            push TEXT NOT NULL,
            user TEXT NOT NULL,
            device TEXT,
            subject TEXT NOT NULL,
            place TEXT,
            entry INTEGER,
            event TEXT NOT NULL,
            time INTEGER NOT NULL,
            status INTEGER,
            reason TEXT
        ) STRICT;
        CREATE INDEX push_events_by_user ON push_events (user, number);
        CREATE INDEX push_events_by_push ON push_events (push, user);
        """)
}
