extension Migration {
    /// Hours in which a device makes no sound: minutes of its day, and how far its clock is ahead of UTC.
    static let quietHours = Migration(
        """
        ALTER TABLE push_devices ADD COLUMN quiet_start INTEGER;
        ALTER TABLE push_devices ADD COLUMN quiet_end INTEGER;
        ALTER TABLE push_devices ADD COLUMN quiet_offset INTEGER;
        ALTER TABLE push_devices ADD COLUMN quiet_calls INTEGER;
        """)
}
