extension Migration {
    /// What programs on other servers know devices by, and find them by.
    static let pushLabels = Migration(
        """
        ALTER TABLE push_devices ADD COLUMN registration TEXT;
        ALTER TABLE push_devices ADD COLUMN alias TEXT;
        ALTER TABLE push_devices ADD COLUMN mobile TEXT;
        CREATE UNIQUE INDEX push_devices_by_registration ON push_devices (registration);
        CREATE INDEX push_devices_by_alias ON push_devices (alias, registration) WHERE alias IS NOT NULL;

        CREATE TABLE push_tags (
            tag TEXT NOT NULL,
            registration TEXT NOT NULL,
            PRIMARY KEY (tag, registration)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX push_tags_by_registration ON push_tags (registration, tag);
        """)
}
