-- ${schema} is the quoted name of the schema.

-- Messages without a row that an operator has dropped, as long as no checkpoint has passed them: read
-- again, they are not parked anew.
CREATE TABLE ${schema}.dropped (
    source integer NOT NULL,
    record_offset bigint NOT NULL,
    leader_epoch integer NOT NULL,
    dropped_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source, record_offset, leader_epoch)
);

-- What operators hold back wherever it is read: a row's key, or a partition (topic-number). Without
-- until, till somebody resumes it; with it, till then by the clock of this server.
CREATE TABLE ${schema}.paused (
    kind text NOT NULL CHECK (kind IN ('key', 'partition')),
    name text COLLATE "C" NOT NULL,
    paused_by text NOT NULL,
    paused_at timestamptz NOT NULL DEFAULT now(),
    until timestamptz,
    PRIMARY KEY (kind, name)
);

-- Which start of a process was seen under that name: two that have the same one are told apart by it.
ALTER TABLE ${schema}.instance ADD COLUMN start_id text COLLATE "C";

-- A request that has to wait, or has had its share for now, is not taken again before then.
ALTER TABLE ${schema}.request ADD COLUMN not_before timestamptz;

-- Who has asked for what, and what came of it, is looked up by key.
CREATE INDEX request_of_key ON ${schema}.request (row_key, number);

-- For drop, position is that of the last message that was parked when it was asked for. Until now it was
-- that of the first, and meant nothing.
UPDATE ${schema}.request SET position = NULL WHERE action = 'drop' AND done_at IS NULL;

-- How much stands parked of each source, as the sum of differences: each statement that parks messages or
-- takes some out adds its own, so that none waits for another. keys: a row's key counts once in each source.
CREATE TABLE ${schema}.parked_tally (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source integer NOT NULL,
    messages bigint NOT NULL,
    keys bigint NOT NULL
);
CREATE INDEX parked_tally_of_source ON ${schema}.parked_tally (source);
INSERT INTO ${schema}.parked_tally (source, messages, keys)
SELECT source, count(*), count(DISTINCT row_key) FROM ${schema}.parked GROUP BY source;

-- When a message that is parked was last tried again, by a redrive, and failed.
ALTER TABLE ${schema}.parked ADD COLUMN failed_at timestamptz;

-- What an operator has put in the place of a message's value, with what stood there: whoever reads the
-- message again gets that.
CREATE TABLE ${schema}.replacement (
    source integer NOT NULL,
    record_offset bigint NOT NULL,
    leader_epoch integer NOT NULL,
    row_key text COLLATE "C" NOT NULL,
    value bytea,
    original bytea,
    replaced_by text NOT NULL,
    replaced_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source, record_offset, leader_epoch)
);
CREATE INDEX replacement_of_key ON ${schema}.replacement (row_key);

-- edit: state is the value that is to be put in its place, in base64. Pauses, and what is deleted at once,
-- are done as soon as they are asked for; they stay as a record of who did it, like all that is done.
ALTER TABLE ${schema}.request DROP CONSTRAINT request_action_check;
ALTER TABLE ${schema}.request ADD CONSTRAINT request_action_check
    CHECK (action IN ('redrive', 'skip', 'skip failing', 'drop', 'resume', 'quarantine', 'set', 'delete', 'edit',
        'pause key', 'resume key', 'pause partition', 'resume partition', 'drop without row'));
CREATE INDEX request_done ON ${schema}.request (done_at) WHERE done_at IS NOT NULL;

-- Who has done what, when, to which key or partition, and what came of it.
CREATE VIEW ${schema}.audit AS
SELECT number, requested_at AS at, requested_by AS who, action AS what, row_key AS name, done_at, answer
FROM ${schema}.request;

UPDATE ${schema}.application SET tables_version = 9;
