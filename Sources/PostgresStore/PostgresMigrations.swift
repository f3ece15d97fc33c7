internal import SQLTables

/// The forms of the tables: those that all engines share, in PostgreSQL's words, and what only this engine has.
enum PostgresMigrations {
    /// Each is carried out once, in this order.
    static let all: [String] = Migration.all.map { PostgresDialect.script($0) }

    /// Beside the shared ones; each is carried out once as well, after those.
    static let own: [String] = [lanes, versionsOfConversations, membersInOneStep, duties, ledger, places, sealedHellos]

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

    /// A conversation has the number of the last transaction that changed its members, its settings or who blocks whom in
    /// it, and what it had before that one. So a server that remembers a conversation sees when another has changed it, even
    /// behind a change of its own. Messages need no version: their numbers are unique.
    private static let versionsOfConversations = """
        ALTER TABLE conversations ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE conversations ADD COLUMN previous BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE conversations SET (fillfactor = 70);

        CREATE FUNCTION this_transaction() RETURNS BIGINT LANGUAGE sql AS
            $$ SELECT CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT) $$;

        CREATE FUNCTION change_conversation(BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE conversations SET previous = version, version = this_transaction()
            WHERE number = $1 AND version <> this_transaction();
        END $$;

        CREATE FUNCTION member_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM change_conversation(CASE WHEN TG_OP = 'DELETE' THEN OLD.conversation ELSE NEW.conversation END);
            RETURN NULL;
        END $$;
        CREATE TRIGGER member_changed AFTER INSERT OR UPDATE OR DELETE ON members
            FOR EACH ROW EXECUTE FUNCTION member_changed();

        CREATE FUNCTION settings_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.version = OLD.version AND OLD.version <> this_transaction() THEN
                NEW.previous := OLD.version;
                NEW.version := this_transaction();
            END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER settings_changed BEFORE UPDATE OF title, subject, dissolved, retention, slow_mode ON conversations
            FOR EACH ROW EXECUTE FUNCTION settings_changed();

        CREATE FUNCTION block_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        DECLARE
            pair RECORD;
        BEGIN
            IF TG_OP = 'DELETE' THEN pair := OLD; ELSE pair := NEW; END IF;
            PERFORM change_conversation(conversation) FROM directs
                WHERE low = least(pair."user", pair.blocked) AND high = greatest(pair."user", pair.blocked);
            RETURN NULL;
        END $$;
        CREATE TRIGGER block_changed AFTER INSERT OR DELETE ON blocks
            FOR EACH ROW EXECUTE FUNCTION block_changed();

        -- The versions of these conversations, in their order. Fails when one of them is not the one that is expected; -1
        -- stands for one that was read in this transaction.
        CREATE FUNCTION conversation_versions(keys BIGINT[], expected BIGINT[]) RETURNS TEXT LANGUAGE plpgsql AS $$
        DECLARE
            found TEXT;
            wrong BIGINT;
        BEGIN
            SELECT string_agg(CAST(c.version AS TEXT), ',' ORDER BY e.place), count(*) FILTER (
                WHERE e.version >= 0 AND c.version <> e.version
                AND NOT (c.version = this_transaction() AND c.previous = e.version))
            INTO found, wrong
            FROM unnest(keys, expected) WITH ORDINALITY AS e (number, version, place)
            JOIN conversations c ON c.number = e.number;
            IF wrong > 0 THEN
                RAISE EXCEPTION 'another server has changed a conversation' USING ERRCODE = 'serialization_failure';
            END IF;
            RETURN found;
        END $$;
        """

    /// Members that change in one statement change their conversations in one as well.
    private static let membersInOneStep = """
        DROP TRIGGER member_changed ON members;
        DROP FUNCTION member_changed();

        CREATE FUNCTION members_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        DECLARE
            current BIGINT := this_transaction();
        BEGIN
            UPDATE conversations SET previous = version, version = current
            FROM (SELECT DISTINCT conversation FROM changed ORDER BY conversation) AS theirs
            WHERE number = theirs.conversation AND version <> current;
            RETURN NULL;
        END $$;
        CREATE TRIGGER members_came AFTER INSERT ON members REFERENCING NEW TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION members_changed();
        CREATE TRIGGER members_changed AFTER UPDATE ON members REFERENCING NEW TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION members_changed();
        CREATE TRIGGER members_left AFTER DELETE ON members REFERENCING OLD TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION members_changed();
        """

    /// What one server does for all, until when, by the database's clock. Not worth a log: it is claimed anew every second.
    private static let duties = """
        CREATE UNLOGGED TABLE duties (name TEXT COLLATE "C" PRIMARY KEY, node TEXT NOT NULL, until TIMESTAMPTZ NOT NULL);
        """

    /// The order of everything that servers do together: a row that counts, and who is there. Nothing of it outlives a crash of the
    /// database, after which all say hello anew.
    private static let ledger = """
        CREATE UNLOGGED TABLE ledger (one BOOLEAN PRIMARY KEY, number BIGINT NOT NULL) WITH (fillfactor = 50);
        CREATE UNLOGGED TABLE nodes (node TEXT COLLATE "C" PRIMARY KEY, ready BOOLEAN NOT NULL, seen TIMESTAMPTZ NOT NULL)
            WITH (fillfactor = 50);
        CREATE UNLOGGED TABLE parcels (name TEXT COLLATE "C" NOT NULL, part BIGINT NOT NULL, body BYTEA NOT NULL,
            PRIMARY KEY (name, part));

        CREATE FUNCTION append(entry TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
        DECLARE
            place BIGINT;
        BEGIN
            INSERT INTO parley.ledger AS all_entries VALUES (TRUE, 1)
            ON CONFLICT (one) DO UPDATE SET number = all_entries.number + 1 RETURNING number INTO place;
            PERFORM pg_notify('parley', format('=%s %s %s', place,
                CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT), entry));
        END $$;

        CREATE FUNCTION hello(newcomer TEXT, life BIGINT, knows_all BOOLEAN) RETURNS VOID LANGUAGE plpgsql AS $$
        DECLARE
            is_first BOOLEAN;
        BEGIN
            INSERT INTO parley.ledger AS all_entries VALUES (TRUE, 0)
            ON CONFLICT (one) DO UPDATE SET number = all_entries.number;
            DELETE FROM parley.nodes WHERE node = newcomer OR seen < clock_timestamp() - INTERVAL '5 s';
            -- After a crash nodes are on their way back that know how everything stood.
            is_first := NOT EXISTS (SELECT 1 FROM parley.nodes WHERE ready)
                AND (knows_all OR pg_postmaster_start_time() < clock_timestamp() - INTERVAL '1.5 s');
            IF is_first THEN DELETE FROM parley.parcels; END IF;
            INSERT INTO parley.nodes VALUES (newcomer, is_first, clock_timestamp());
            PERFORM parley.append(format('%s %s hello%s', newcomer, life, CASE WHEN is_first THEN ' first' ELSE '' END));
        END $$;
        """

    /// Whose data directory a node runs on, and by which session it is here. So a server that comes right behind its own crash is not
    /// taken for another one beside it: the others are told that its former run is over, and its duty is free.
    private static let places = """
        ALTER TABLE nodes ADD COLUMN place TEXT, ADD COLUMN session BIGINT, ADD COLUMN life BIGINT;

        CREATE FUNCTION hello(newcomer TEXT, life BIGINT, knows_all BOOLEAN, place TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
        DECLARE
            former RECORD;
        BEGIN
            FOR former IN DELETE FROM parley.nodes n
                WHERE n.place = hello.place AND n.node <> newcomer
                    AND NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = n.session)
                RETURNING n.node, n.life
            LOOP
                DELETE FROM parley.duties d WHERE d.node = former.node;
                PERFORM parley.append(format('%s %s gone %s %s', former.node, former.life, former.node, former.life));
            END LOOP;
            PERFORM parley.hello(newcomer, life, knows_all);
            UPDATE parley.nodes n SET place = hello.place, session = pg_backend_pid(), life = hello.life WHERE n.node = newcomer;
        END $$;
        """

    /// What a node says when it comes in is sealed by it, as all else that it says.
    private static let sealedHellos = """
        CREATE FUNCTION hello(newcomer TEXT, life BIGINT, knows_all BOOLEAN, place TEXT, seal TEXT) RETURNS VOID
        LANGUAGE plpgsql AS $$
        DECLARE
            former RECORD;
            is_first BOOLEAN;
        BEGIN
            FOR former IN DELETE FROM parley.nodes n
                WHERE n.place = hello.place AND n.node <> newcomer
                    AND NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = n.session)
                RETURNING n.node, n.life
            LOOP
                DELETE FROM parley.duties d WHERE d.node = former.node;
                PERFORM parley.append(format('%s %s gone %s %s', former.node, former.life, former.node, former.life));
            END LOOP;
            INSERT INTO parley.ledger AS all_entries VALUES (TRUE, 0)
            ON CONFLICT (one) DO UPDATE SET number = all_entries.number;
            DELETE FROM parley.nodes WHERE node = newcomer OR seen < clock_timestamp() - INTERVAL '5 s';
            -- After a crash nodes are on their way back that know how everything stood.
            is_first := NOT EXISTS (SELECT 1 FROM parley.nodes WHERE ready)
                AND (knows_all OR pg_postmaster_start_time() < clock_timestamp() - INTERVAL '1.5 s');
            IF is_first THEN DELETE FROM parley.parcels; END IF;
            INSERT INTO parley.nodes (node, ready, seen, place, session, life)
            VALUES (newcomer, is_first, clock_timestamp(), hello.place, pg_backend_pid(), hello.life);
            PERFORM parley.append(format('%s %s hello%s %s',
                newcomer, life, CASE WHEN is_first THEN ' first' ELSE '' END, seal));
        END $$;
        """
}
