extension Migration {
    /// What users say of themselves: which of their files is their picture, and since when it is so.
    static let profiles = Migration(
        """
        ALTER TABLE users ADD COLUMN picture TEXT;
        ALTER TABLE users ADD COLUMN profile_changed INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX users_by_picture ON users (picture) WHERE picture IS NOT NULL;
        """)
}
