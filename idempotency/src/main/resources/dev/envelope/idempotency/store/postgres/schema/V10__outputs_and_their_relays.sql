-- ${schema} is the quoted name of the schema.

-- Who sends outputs to Kafka: one row for each start of a process. batch: the number of the batch that it
-- has opened last; positions and parts: the rows of that batch, empty once it is over. transactional_ids:
-- under which of them that batch may be in Kafka; none for delivery at least once. served_by: the relay
-- that has taken this one over.
CREATE TABLE ${schema}.relay (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    instance text COLLATE "C" NOT NULL,
    start_id text COLLATE "C" NOT NULL,
    transactional_ids text[] NOT NULL DEFAULT '{}',
    batch bigint NOT NULL DEFAULT 0,
    positions bigint[] NOT NULL DEFAULT '{}',
    parts integer[] NOT NULL DEFAULT '{}',
    seen_at timestamptz NOT NULL DEFAULT now(),
    served_by integer
) WITH (fillfactor = 50);
CREATE INDEX relay_served_by ON ${schema}.relay (served_by) WHERE served_by IS NOT NULL;

-- The relay of outputs that are saved before their process has registered one. It is taken over at once.
INSERT INTO ${schema}.relay (number, instance, start_id, seen_at) OVERRIDING SYSTEM VALUE VALUES (0, '', '', '-infinity');

-- Positions are in the order of the saves of a key: so no process may take several ahead (no CACHE).
CREATE SEQUENCE ${schema}.output_position;

-- What one save has put out, in order, an array element for each record; see the view outputs. A row may be sent
-- only by its relay, or by the one that serves it. part: 0, but of records that were taken out of their row
-- because they have to wait. headers: null if no record of the row has any. refused: why Kafka does not take it.
CREATE TABLE ${schema}.output (
    relay integer NOT NULL,
    position bigint NOT NULL DEFAULT nextval('${schema}.output_position'),
    part integer NOT NULL DEFAULT 0,
    lanes integer[] NOT NULL,
    topics text[] NOT NULL,
    keys bytea[] NOT NULL,
    vals bytea[] NOT NULL,
    headers json[],
    sources integer[] NOT NULL,
    offsets bigint[] NOT NULL,
    epochs integer[] NOT NULL,
    ordinals integer[] NOT NULL,
    bytes integer NOT NULL,
    refused text,
    refused_at timestamptz,
    tries integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (relay, position, part)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- Not compressed: that costs more than it saves on rows that live for milliseconds.
ALTER TABLE ${schema}.output
    ALTER lanes SET STORAGE EXTERNAL, ALTER topics SET STORAGE EXTERNAL, ALTER keys SET STORAGE EXTERNAL,
    ALTER vals SET STORAGE EXTERNAL, ALTER sources SET STORAGE EXTERNAL, ALTER offsets SET STORAGE EXTERNAL,
    ALTER epochs SET STORAGE EXTERNAL, ALTER ordinals SET STORAGE EXTERNAL;
CREATE INDEX output_refused ON ${schema}.output (position, part) WHERE refused IS NOT NULL;
CREATE INDEX output_refused_lanes ON ${schema}.output USING gin (lanes) WITH (fastupdate = off) WHERE refused IS NOT NULL;

-- The refused rows below a position that have one of these lanes. A function, because a GIN index is read only by
-- a bitmap scan, and the worker's connections have switched those off.
CREATE FUNCTION ${schema}.refused_of_lanes(asked integer[], below bigint)
    RETURNS TABLE (at_position bigint, at_part integer, its_lanes integer[])
    LANGUAGE sql STABLE SET enable_bitmapscan = on SET enable_indexscan = off AS $$
    SELECT o.position, o.part, o.lanes FROM ${schema}.output AS o
    WHERE o.refused IS NOT NULL AND o.lanes && asked AND o.position < below
$$;

-- What waits for Kafka, a row for each record.
CREATE VIEW ${schema}.outputs AS
SELECT o.position, o.part, e.place, o.relay, e.topic, e.key, e.value, s.topic AS from_topic, s.partition AS from_partition,
    e.record_offset AS from_offset, e.ordinal, o.created_at, o.refused, o.refused_at, o.tries
FROM ${schema}.output AS o
CROSS JOIN LATERAL unnest(o.topics, o.keys, o.vals, o.sources, o.offsets, o.ordinals)
    WITH ORDINALITY AS e (topic, key, value, source, record_offset, ordinal, place)
LEFT JOIN ${schema}.source AS s ON s.number = e.source;

-- The topic's id when the source was first seen, if an operator has adopted another one since: the ids of
-- records that are put out are made from it, so that they stay the same.
ALTER TABLE ${schema}.source ADD COLUMN first_topic_id uuid;

-- For 'retry output' and 'drop output', row_key is the output's topic; they are done as soon as they are asked for.
ALTER TABLE ${schema}.request DROP CONSTRAINT request_action_check;
ALTER TABLE ${schema}.request ADD CONSTRAINT request_action_check
    CHECK (action IN ('redrive', 'skip', 'skip failing', 'drop', 'resume', 'quarantine', 'set', 'delete', 'edit',
        'pause key', 'resume key', 'pause partition', 'resume partition', 'drop without row', 'retry output',
        'drop output'));

UPDATE ${schema}.application SET tables_version = 10;
