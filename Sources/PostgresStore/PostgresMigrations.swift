internal import SQLTables

/// The forms of the tables: those that all engines share, in PostgreSQL's words, and what only this engine has.
enum PostgresMigrations {
    /// Each is carried out once, in this order.
    static let all: [String] = Migration.all.map { PostgresDialect.script($0) }

    /// Beside the shared ones; each is carried out once as well, after those.
    static let own: [String] = [lanes]

    static let versions = """
        CREATE SCHEMA IF NOT EXISTS parley;
        CREATE TABLE IF NOT EXISTS parley.versions (shared BIGINT NOT NULL, own BIGINT NOT NULL);
        INSERT INTO parley.versions SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM parley.versions);
        """

    /// Which group each lane committed last, so that a lost answer can be looked up. A group that comes late, from a
    /// connection that was thought to be gone, is refused.
    private static let lanes = """
        CREATE TABLE lanes (name TEXT COLLATE "C" PRIMARY KEY, number BIGINT NOT NULL,
            since TIMESTAMPTZ NOT NULL DEFAULT now());
        CREATE FUNCTION begin_group(TEXT, BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE lanes SET number = $2 WHERE name = $1 AND number = $2 - 1;
            IF NOT FOUND THEN RAISE EXCEPTION 'group % of this lane has had its time', $2; END IF;
        END $$;
        CREATE UNIQUE INDEX users_by_name ON users (lower(name));
        """
}
