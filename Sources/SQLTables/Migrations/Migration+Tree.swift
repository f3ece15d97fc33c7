extension Migration {
    /// The values of a tree under their paths, whose it is, and what is written when a session ends.
    static let tree = Migration(
        """
        CREATE TABLE tree_rows (
            path TEXT NOT NULL PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE tree_owner (
            id INTEGER NOT NULL PRIMARY KEY,
            owner TEXT NOT NULL
        ) STRICT;

        CREATE TABLE tree_left_writes (
            session TEXT NOT NULL,
            path TEXT NOT NULL,
            number INTEGER NOT NULL,
            value BLOB NOT NULL,
            auth BLOB NOT NULL,
            PRIMARY KEY (session, path)
        ) STRICT, WITHOUT ROWID;
        """)
}
