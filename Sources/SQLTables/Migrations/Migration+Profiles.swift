extension Migration {
    /// What users say of themselves: which of their files is their picture, and since when it is so.
    static let profiles = Migration(
        """
        ALTER TABLE users ADD COLUMN picture TEXT;
        ALTER TABLE users ADD COLUMN profile_changed INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX users_by_picture ON users (picture) WHERE picture IS NOT NULL;
        """)

    /// What stays of accounts that were deleted: their ids, and a hash of each name.
    static let deletedUsers = Migration(
        """
        ALTER TABLE users ADD COLUMN deleted INTEGER;
        ALTER TABLE users ADD COLUMN deleted_name BLOB;
        -- Something of theirs is still to be removed.
        ALTER TABLE users ADD COLUMN erasing INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX deleted_users ON users (erasing) WHERE deleted IS NOT NULL;
        CREATE INDEX deleted_names ON users (deleted_name) WHERE deleted_name IS NOT NULL;
        """)
}
