extension Migration {
    /// Entries that another program still has to hear of, each written in the commit of its entry.
    static let outbox = Migration(
        """
        CREATE TABLE outbox (
            -- Never given twice, so that what is behind a number is always new.
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            entry INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            trouble TEXT,
            given_up INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX waiting_deliveries ON outbox (number) WHERE given_up = 0;
        CREATE INDEX given_up_deliveries ON outbox (number) WHERE given_up = 1;
        """)

    /// What happened that is no entry, as it is told, and what it follows from.
    static let outboxEvents = Migration(
        """
        ALTER TABLE outbox ADD COLUMN event TEXT;
        ALTER TABLE outbox ADD COLUMN trace TEXT;
        """)

    /// How far each series of events was put into the outbox, so that a node can go on where another one has ended.
    static let eventPlaces = Migration(
        """
        CREATE TABLE event_places (
            series TEXT NOT NULL PRIMARY KEY,
            number INTEGER NOT NULL,
            time INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """)

    /// For what follows in one conversation, however much waits in others.
    static let outboxByConversation = Migration(
        "CREATE INDEX deliveries_in_one ON outbox (entry >> 32, number) WHERE given_up = 0")
}
