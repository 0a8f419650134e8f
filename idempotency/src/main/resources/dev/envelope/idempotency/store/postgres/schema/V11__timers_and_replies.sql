-- ${schema} is the quoted name of the schema.

-- What is to be told to a key later. source, record_offset, leader_epoch, ordinal: of the message that has set the
-- timer; together they are its generation. fired_at: when its firing was put into output; the row stays until the
-- firing is applied, so that a firing of another generation is known to be out of date.
CREATE TABLE ${schema}.timer (
    key text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL,
    payload bytea NOT NULL,
    record_key bytea,
    source integer NOT NULL,
    record_offset bigint NOT NULL,
    leader_epoch integer NOT NULL,
    ordinal integer NOT NULL,
    fired_at timestamptz,
    PRIMARY KEY (key, name)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX timer_due ON ${schema}.timer (source, due_at) WHERE fired_at IS NULL;

-- What became of a command: the first answer stays. value: the handler's reply or, if it gave none, the state
-- after the save (is_state), unless the copies of one save had more than 1 MiB: then only the row has it. version: of the row after the save.
CREATE TABLE ${schema}.reply (
    key text COLLATE "C" NOT NULL,
    command text COLLATE "C" NOT NULL,
    disposition text COLLATE "C" NOT NULL
        CHECK (disposition IN ('applied', 'duplicate', 'parked', 'put out')),
    reason text,
    value bytea,
    is_state boolean NOT NULL,
    version bigint NOT NULL,
    source integer NOT NULL,
    record_offset bigint NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (key, command)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX reply_made_at ON ${schema}.reply (made_at);

-- The version of the program that was seen; null before this version. Timers fire only once no program is seen that
-- would take a firing for an ordinary message.
ALTER TABLE ${schema}.instance ADD COLUMN program integer;

-- Keeps older programs from starting; true if they could until now. A function, because a worker may do that and no
-- more with the table: it can only raise the number, and not above what is installed.
CREATE FUNCTION ${schema}.require_program(version integer) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE ${schema}.application SET min_program = version
    WHERE min_program < version AND version <= tables_version RETURNING true
$$;

UPDATE ${schema}.application SET tables_version = 11;
