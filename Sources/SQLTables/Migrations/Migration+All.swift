extension Migration {
    /// Every form the tables ever had, oldest first. Only append.
    package static let all = [
        accountsAndCalls, callsByEnd, conversations, files, outbox, retention, profiles, outboxByConversation, pins,
        formerMembers, deletedUsers, audit, moderators, reports, callsUnderWay, wordRules, slowMode, timedRemovals,
        push, pushEvents, quietHours, archived, pushLabels, announcements, callNodes, doorRecords,
        outboxEvents, tree, fileOutlines, eventPlaces,
    ]

    /// Times are milliseconds since 1970, hashes are SHA-256.
    private static let accountsAndCalls = Migration(
        """
        CREATE TABLE users (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT UNIQUE COLLATE NOCASE,
            password_hash TEXT,
            display_name TEXT,
            avatar TEXT,
            created INTEGER NOT NULL,
            token_version INTEGER,
            token_hash BLOB UNIQUE,
            token_expiry INTEGER
        ) STRICT, WITHOUT ROWID;

        -- Users of an application of ours need no account here, so this refers to none.
        CREATE TABLE refresh_families (
            id TEXT NOT NULL PRIMARY KEY,
            user TEXT NOT NULL,
            current_hash BLOB NOT NULL,
            previous_hash BLOB,
            used INTEGER NOT NULL,
            expiry INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX refresh_families_by_user ON refresh_families (user, used);

        CREATE TABLE restrictions (
            user TEXT NOT NULL PRIMARY KEY,
            not_before INTEGER,
            banned_until INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE revoked_tokens (
            id TEXT NOT NULL PRIMARY KEY,
            expiry INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE calls (
            id TEXT NOT NULL PRIMARY KEY,
            caller TEXT NOT NULL,
            callee TEXT,
            room TEXT,
            kind TEXT NOT NULL,
            started INTEGER NOT NULL,
            answered INTEGER,
            ended INTEGER NOT NULL,
            outcome TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX calls_by_caller ON calls (caller, started);
        CREATE INDEX calls_by_callee ON calls (callee, started);
        """)

    /// The number of the entry that pinned a message.
    private static let pins = Migration(
        """
        ALTER TABLE entries ADD COLUMN pinned INTEGER;
        CREATE INDEX pinned_entries ON entries (id) WHERE pinned IS NOT NULL;
        """)

    /// So that two who talk find their seats when the server was started anew.
    private static let callsUnderWay = Migration(
        """
        CREATE TABLE calls_under_way (
            id TEXT NOT NULL PRIMARY KEY,
            caller TEXT NOT NULL,
            caller_session TEXT NOT NULL,
            callee TEXT NOT NULL,
            callee_session TEXT NOT NULL,
            kind TEXT NOT NULL,
            started INTEGER NOT NULL,
            answered INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """)

    /// For throwing out the oldest ones.
    private static let callsByEnd = Migration("CREATE INDEX calls_by_end ON calls (ended)")

    /// Several servers may work over one database; each goes on with its own calls.
    private static let callNodes = Migration("ALTER TABLE calls_under_way ADD COLUMN node TEXT")
}
