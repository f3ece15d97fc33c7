extension Migration {
    /// How many messages there were when a member put the conversation away.
    static let archived = Migration("ALTER TABLE members ADD COLUMN archived INTEGER")

    /// An entry's id is its conversation's number and its own, side by side: a conversation lies in one piece, in its
    /// order, and every page of it is one walk.
    static let conversations = Migration(
        """
        CREATE TABLE conversations (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            title TEXT,
            -- What it is bound to outside, say an order.
            subject TEXT UNIQUE,
            created INTEGER NOT NULL,
            dissolved INTEGER,
            -- Entries up to this number can be searched.
            indexed INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE directs (
            low TEXT NOT NULL,
            high TEXT NOT NULL,
            conversation INTEGER NOT NULL,
            PRIMARY KEY (low, high)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE members (
            conversation INTEGER NOT NULL,
            user TEXT NOT NULL,
            role INTEGER NOT NULL,
            since INTEGER NOT NULL,
            read INTEGER NOT NULL,
            read_counted INTEGER NOT NULL,
            silenced_until INTEGER,
            muted INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (conversation, user)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX members_by_user ON members (user, conversation);

        CREATE TABLE entries (
            id INTEGER PRIMARY KEY,
            counted INTEGER NOT NULL,
            sort INTEGER NOT NULL,
            sender TEXT NOT NULL,
            time INTEGER NOT NULL,
            client TEXT,
            kind TEXT,
            -- The id of the entry it is about.
            target INTEGER,
            mentions TEXT,
            forwarded INTEGER,
            body BLOB,
            edited INTEGER,
            recalled INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX entries_by_client ON entries (sender, client) WHERE client IS NOT NULL;
        CREATE INDEX edits_by_target ON entries (target) WHERE sort = 1;
        CREATE INDEX recalled_entries ON entries (id) WHERE recalled IS NOT NULL;

        CREATE TABLE reactions (
            message INTEGER NOT NULL,
            reaction TEXT NOT NULL,
            user TEXT NOT NULL,
            PRIMARY KEY (message, reaction, user)
        ) STRICT, WITHOUT ROWID;

        -- How far each device got.
        CREATE TABLE cursors (
            user TEXT NOT NULL,
            device TEXT NOT NULL,
            conversation INTEGER NOT NULL,
            delivered INTEGER NOT NULL,
            read INTEGER NOT NULL,
            time INTEGER NOT NULL,
            PRIMARY KEY (user, device, conversation)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX cursors_by_conversation ON cursors (conversation, user, delivered, read);

        CREATE TABLE blocks (
            user TEXT NOT NULL,
            blocked TEXT NOT NULL,
            PRIMARY KEY (user, blocked)
        ) STRICT, WITHOUT ROWID;

        -- Words as `SearchWords` cuts them; the messages themselves are not kept twice.
        CREATE VIRTUAL TABLE words USING fts5(text, content='', columnsize=0, tokenize='ascii');
        """)

    /// What stays of members who went and may come back: that they were sent away, and until when they may only listen.
    static let formerMembers = Migration(
        """
        CREATE TABLE former_members (
            conversation INTEGER NOT NULL,
            user TEXT NOT NULL,
            removed INTEGER NOT NULL,
            silenced_until INTEGER,
            PRIMARY KEY (conversation, user)
        ) STRICT, WITHOUT ROWID;
        """)
}
