extension Migration {
    /// How long what is said in a conversation is kept, in milliseconds; for as long as everything else when nothing is
    /// said about it.
    static let retention = Migration(
        """
        ALTER TABLE conversations ADD COLUMN retention INTEGER;
        CREATE INDEX short_conversations ON conversations (number) WHERE retention IS NOT NULL;
        """)
}
