extension Migration {
    /// What programs on other servers say to devices, what became of it on each device, and what they want said later.
    static let announcements = Migration(
        """
        CREATE TABLE announcements (
            number INTEGER NOT NULL PRIMARY KEY,
            push TEXT NOT NULL,
            source TEXT NOT NULL,
            name TEXT,
            topic TEXT NOT NULL,
            content BLOB NOT NULL,
            created INTEGER NOT NULL,
            expiry INTEGER NOT NULL,
            schedule TEXT,
            next TEXT
        ) STRICT;
        CREATE INDEX announcements_by_name ON announcements (source, name, number) WHERE name IS NOT NULL;
        CREATE INDEX announcements_by_schedule ON announcements (schedule, number) WHERE schedule IS NOT NULL;
        CREATE INDEX announcements_under_way ON announcements (number) WHERE next IS NOT NULL;
        CREATE INDEX announcements_by_age ON announcements (created);

        CREATE TABLE announcement_receipts (
            announcement INTEGER NOT NULL,
            user TEXT NOT NULL,
            device TEXT NOT NULL,
            registration TEXT NOT NULL,
            platform TEXT NOT NULL,
            event TEXT NOT NULL,
            is_open INTEGER NOT NULL,
            is_clicked INTEGER NOT NULL,
            PRIMARY KEY (announcement, user, device)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX announcement_receipts_by_registration ON announcement_receipts (announcement, registration);
        CREATE INDEX announcement_receipts_by_user ON announcement_receipts (user);
        CREATE INDEX open_announcement_receipts ON announcement_receipts (announcement, registration) WHERE is_open = 1;

        CREATE TABLE push_schedules (
            id TEXT NOT NULL PRIMARY KEY,
            source TEXT NOT NULL,
            content BLOB NOT NULL,
            next INTEGER,
            created INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX push_schedules_by_source ON push_schedules (source, created);
        CREATE INDEX push_schedules_by_time ON push_schedules (next) WHERE next IS NOT NULL;
        """)
}
