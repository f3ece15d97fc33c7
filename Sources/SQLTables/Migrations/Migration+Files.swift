extension Migration {
    /// Which files there are. What is in them lies beside the database, under its hash.
    static let files = Migration(
        """
        CREATE TABLE files (
            id TEXT NOT NULL PRIMARY KEY,
            owner TEXT NOT NULL,
            hash BLOB NOT NULL,
            size INTEGER NOT NULL,
            type TEXT NOT NULL,
            label TEXT,
            width INTEGER,
            height INTEGER,
            small_width INTEGER,
            small_height INTEGER,
            created INTEGER NOT NULL,
            -- For whom and for how long, as `FileStay` counts: old clients show no token.
            stay INTEGER NOT NULL DEFAULT 0,
            -- How many entries show it.
            uses INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX files_by_owner ON files (owner, size);
        CREATE INDEX files_by_hash ON files (hash);
        CREATE INDEX unused_files ON files (created) WHERE uses = 0 AND stay < 2;

        -- Which entries show which files.
        CREATE TABLE shown_files (
            file TEXT NOT NULL,
            entry INTEGER NOT NULL,
            PRIMARY KEY (file, entry)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX shown_files_by_entry ON shown_files (entry, file);

        CREATE TABLE uploads (
            id TEXT NOT NULL PRIMARY KEY,
            owner TEXT NOT NULL,
            length INTEGER NOT NULL,
            label TEXT,
            expiry INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX uploads_by_owner ON uploads (owner, length);
        CREATE INDEX uploads_by_expiry ON uploads (expiry);
        """)

    /// How long a recording is, in milliseconds, and how high its bars are, a byte for each.
    static let fileOutlines = Migration(
        """
        ALTER TABLE files ADD COLUMN duration INTEGER;
        ALTER TABLE files ADD COLUMN waveform BLOB;
        """)
}
