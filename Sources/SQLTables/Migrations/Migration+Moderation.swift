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

    /// Whom an operator has named, and who was sent away or silenced: by whom, since when, until when and why.
    static let moderators = Migration(
        """
        CREATE TABLE moderators (
            user TEXT NOT NULL PRIMARY KEY,
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE sanctions (
            conversation INTEGER NOT NULL,
            user TEXT NOT NULL,
            kind TEXT NOT NULL,
            actor TEXT,
            time INTEGER NOT NULL,
            until INTEGER,
            reason TEXT,
            PRIMARY KEY (conversation, user, kind)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sanctions_by_end ON sanctions (until) WHERE until IS NOT NULL;
        INSERT INTO sanctions (conversation, user, kind, time)
            SELECT conversation, user, 'removed', 0 FROM former_members WHERE removed = 1;
        INSERT INTO sanctions (conversation, user, kind, time, until)
            SELECT conversation, user, 'silenced', 0, silenced_until FROM members WHERE silenced_until IS NOT NULL
            UNION SELECT conversation, user, 'silenced', 0, silenced_until FROM former_members
            WHERE silenced_until IS NOT NULL;
        """)

    /// What users told the operators. A message's words are kept beside it, in case it is taken back.
    static let reports = Migration(
        """
        CREATE TABLE reports (
            number INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            reporter TEXT NOT NULL,
            target TEXT NOT NULL,
            conversation TEXT,
            entry INTEGER,
            accused TEXT,
            reason TEXT NOT NULL,
            text TEXT,
            evidence BLOB,
            settled INTEGER,
            action TEXT,
            note TEXT
        ) STRICT;
        CREATE UNIQUE INDEX open_reports ON reports (reporter, target) WHERE settled IS NULL;
        CREATE INDEX reports_to_settle ON reports (number) WHERE settled IS NULL;
        CREATE INDEX settled_reports ON reports (settled) WHERE settled IS NOT NULL;
        """)

    /// Words in the form in which they are compared.
    static let wordRules = Migration(
        """
        CREATE TABLE word_rules (
            word TEXT NOT NULL PRIMARY KEY,
            action TEXT NOT NULL,
            whole INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """)

    /// In milliseconds, and when a member said something last.
    static let slowMode = Migration(
        """
        ALTER TABLE conversations ADD COLUMN slow_mode INTEGER;
        ALTER TABLE members ADD COLUMN spoke_at INTEGER;
        ALTER TABLE former_members ADD COLUMN spoke_at INTEGER;
        """)

    /// Until when a member was sent away, and in which signalling room what is reported happened.
    static let timedRemovals = Migration(
        """
        ALTER TABLE former_members ADD COLUMN removed_until INTEGER;
        ALTER TABLE reports ADD COLUMN room TEXT;
        """)
}
