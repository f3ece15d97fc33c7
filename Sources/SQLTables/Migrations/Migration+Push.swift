extension Migration {
    /// Devices that want to be woken, and messages of which they still have to hear, each written in the commit of the
    /// message.
    static let push = Migration(
        """
        CREATE TABLE push_devices (
            user TEXT NOT NULL,
            device TEXT NOT NULL,
            endpoint TEXT NOT NULL UNIQUE,
            public_key BLOB NOT NULL,
            secret BLOB NOT NULL,
            language TEXT,
            family TEXT,
            since INTEGER NOT NULL,
            tried INTEGER,
            trouble TEXT,
            PRIMARY KEY (user, device)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX push_devices_by_family ON push_devices (family) WHERE family IS NOT NULL;

        CREATE TABLE pushes (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            entry INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX pushes_by_entry ON pushes (entry);
        """)
}
