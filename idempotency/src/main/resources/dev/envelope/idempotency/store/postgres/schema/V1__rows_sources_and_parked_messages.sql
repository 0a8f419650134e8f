-- One schema per application. ${schema} is the quoted name of the schema.
CREATE SCHEMA IF NOT EXISTS ${schema};

-- Whose schema this is and of which version; the first application that starts writes its name.
CREATE TABLE ${schema}.application (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    application_id text,
    schema_version integer NOT NULL
);

-- One row per key. state::jsonb always works; marks read source:nextOffset@leaderEpoch.
-- No index besides the key's: updates then stay within their page (HOT).
CREATE TABLE ${schema}.state (
    key text COLLATE "C" PRIMARY KEY,
    state json,
    version bigint NOT NULL,
    marks text COLLATE "C" NOT NULL,
    ids bytea,
    parked integer NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 80);

-- The log of one partition. A topic that is deleted and made again has another id.
CREATE TABLE ${schema}.source (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text COLLATE "C" NOT NULL,
    partition integer NOT NULL,
    topic_id uuid NOT NULL,
    generation integer NOT NULL DEFAULT 0,
    start_offset bigint NOT NULL,
    start_epoch integer NOT NULL,
    introduced_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (topic_id, partition, generation)
);

-- Everything below next_offset is durable. It only grows.
CREATE TABLE ${schema}.checkpoint (
    source integer NOT NULL REFERENCES ${schema}.source (number),
    slot integer NOT NULL DEFAULT 0,
    next_offset bigint NOT NULL,
    leader_epoch integer NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source, slot)
) WITH (fillfactor = 50);

-- Messages taken out of the flow, in their order, with their bytes. row_key is null for a message
-- that can't have a row. headers: [{"name": …, "value": base64 or null}, …].
CREATE TABLE ${schema}.parked (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    row_key text COLLATE "C",
    source integer NOT NULL,
    record_offset bigint NOT NULL,
    leader_epoch integer NOT NULL,
    record_timestamp bigint NOT NULL,
    key bytea,
    value bytea,
    headers json NOT NULL,
    reason text NOT NULL,
    error text NOT NULL,
    attempts integer NOT NULL,
    instance text NOT NULL,
    parked_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (source, record_offset)
);
CREATE INDEX parked_of_key ON ${schema}.parked (row_key, position) WHERE row_key IS NOT NULL;

-- Records to be produced, in their order.
CREATE TABLE ${schema}.outbox (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text COLLATE "C" NOT NULL,
    key bytea,
    value bytea,
    headers json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- What operators ask for; whoever runs takes it, for a while at a time. position: the message that is
-- to be skipped. broken_off: how many processes had it last and have neither answered nor given it back.
CREATE TABLE ${schema}.request (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    row_key text COLLATE "C" NOT NULL,
    action text NOT NULL CHECK (action IN ('redrive', 'skip', 'drop')),
    position bigint,
    requested_by text NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT now(),
    taken_by text COLLATE "C",
    taken_until timestamptz,
    broken_off integer NOT NULL DEFAULT 0,
    done_at timestamptz,
    answer text
);

-- Who is running, and where it can be reached.
CREATE TABLE ${schema}.instance (
    name text COLLATE "C" PRIMARY KEY,
    address text,
    seen_at timestamptz NOT NULL DEFAULT now()
);

INSERT INTO ${schema}.application (schema_version) VALUES (1);
