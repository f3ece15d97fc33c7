extension Migration {
    /// What operators and moderators did.
    static let audit = Migration(
        """
        CREATE TABLE audit (
            number INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            actor TEXT NOT NULL,
            address TEXT,
            token TEXT,
            action TEXT NOT NULL,
            target TEXT,
            detail TEXT,
            outcome TEXT NOT NULL
        ) STRICT;
        CREATE INDEX audit_by_time ON audit (time);
        """)
}
