-- What a program of version 7 sends, every table's writes and reads, with values for its parameters.
-- ${schema} is the quoted name of the schema.

UPDATE ${schema}.application SET application_id = 'shop' WHERE application_id IS NULL;
UPDATE ${schema}.application SET null_key_spread = 64 WHERE null_key_spread IS NULL;
SELECT null_key_spread FROM ${schema}.application;

LOCK TABLE ${schema}.source IN SHARE ROW EXCLUSIVE MODE;
WITH introduced AS (INSERT INTO ${schema}.source (topic, partition, topic_id, start_offset, start_epoch,
    generation, growth, settled_at) SELECT n.topic, n.partition, n.topic_id::uuid, n.start_offset,
    n.start_epoch, n.generation, n.growth, (SELECT former.settled_at FROM ${schema}.source AS former
    WHERE former.topic_id = n.topic_id::uuid AND former.partition = n.partition
    AND former.generation = n.generation - 1) FROM unnest('{orders}'::text[], '{0}'::int[],
    '{00000000-0000-0001-0000-000000000002}'::text[],
    '{0}'::bigint[], '{-1}'::int[], '{0}'::int[], '{0}'::int[])
    AS n(topic, partition, topic_id, start_offset, start_epoch, generation, growth)
    WHERE NOT EXISTS (SELECT FROM ${schema}.source AS other WHERE other.topic = n.topic
    AND other.topic_id::text <> n.topic_id AND other.topic_id::text <> ALL ('{}'::text[]))
    ON CONFLICT (topic_id, partition, generation) DO NOTHING RETURNING number, start_offset, start_epoch)
    INSERT INTO ${schema}.checkpoint (source, next_offset, leader_epoch)
    SELECT number, start_offset, start_epoch FROM introduced;
WITH introduced AS (INSERT INTO ${schema}.source (topic, partition, topic_id, start_offset, start_epoch,
    generation, growth, settled_at) SELECT n.topic, n.partition, n.topic_id::uuid, n.start_offset,
    n.start_epoch, n.generation, n.growth, (SELECT former.settled_at FROM ${schema}.source AS former
    WHERE former.topic_id = n.topic_id::uuid AND former.partition = n.partition
    AND former.generation = n.generation - 1) FROM unnest('{orders}'::text[], '{1}'::int[],
    '{00000000-0000-0001-0000-000000000002}'::text[],
    '{0}'::bigint[], '{-1}'::int[], '{0}'::int[], '{0}'::int[])
    AS n(topic, partition, topic_id, start_offset, start_epoch, generation, growth)
    WHERE NOT EXISTS (SELECT FROM ${schema}.source AS other WHERE other.topic = n.topic
    AND other.topic_id::text <> n.topic_id AND other.topic_id::text <> ALL ('{}'::text[]))
    ON CONFLICT (topic_id, partition, generation) DO NOTHING RETURNING number, start_offset, start_epoch)
    INSERT INTO ${schema}.checkpoint (source, next_offset, leader_epoch)
    SELECT number, start_offset, start_epoch FROM introduced;
UPDATE ${schema}.source SET settled_at = now() WHERE number = 1 AND settled_at IS NULL;
SELECT s.number, s.topic, s.partition, s.topic_id, s.generation, s.start_offset, s.start_epoch,
    c.next_offset, c.leader_epoch, s.growth, s.growth = 0 OR s.settled_at IS NOT NULL,
    extract(epoch FROM clock_timestamp() - s.introduced_at) * 1000
    FROM ${schema}.source AS s JOIN ${schema}.checkpoint AS c ON c.source = s.number AND c.slot = 0
    WHERE s.topic = ANY ('{orders}'::text[]);

INSERT INTO ${schema}.state (key, version, state, marks, ids)
    SELECT c.key, 1, c.state, c.marks, c.ids FROM unnest(ARRAY['a-1', U&'\FFFFno-key/spread-7']::text[],
    ARRAY['{"n":1}', '{"n":7}']::json[], '{1:10@4,2:3}'::text[],
    ARRAY['\x00112233445566778899aabbccddeeff', NULL]::bytea[]) AS c(key, state, marks, ids);
WITH updated AS (UPDATE ${schema}.state AS s SET state = c.state, version = c.version + 1,
    marks = c.marks, ids = c.ids, updated_at = now(), parked = s.parked + c.parked
    FROM unnest('{a-1}'::text[], '{1}'::bigint[], ARRAY['{"n":2}']::json[], '{1:11@4}'::text[],
    '{NULL}'::bytea[], '{0}'::int[]) AS c(key, version, state, marks, ids, parked)
    WHERE s.key = c.key AND s.version = c.version RETURNING s.key),
    inserted AS (INSERT INTO ${schema}.state (key, version, state, marks, ids, parked)
    SELECT c.key, 1, c.state, c.marks, c.ids, c.parked FROM unnest('{a-2,a-3}'::text[],
    ARRAY['{"n":1}', NULL]::json[], '{1:12@4,1:13@4}'::text[], '{NULL,NULL}'::bytea[], '{1,0}'::int[])
    AS c(key, state, marks, ids, parked) ON CONFLICT (key) DO NOTHING RETURNING key),
    won AS (SELECT key FROM updated UNION ALL SELECT key FROM inserted),
    parked AS (INSERT INTO ${schema}.parked (row_key, source, record_offset, leader_epoch,
    record_timestamp, key, value, headers, reason, error, attempts, instance) SELECT m.row_key, m.source,
    m.record_offset, m.leader_epoch, m.record_timestamp, m.key, m.value, m.headers, m.reason, m.error,
    m.attempts, 'former-1' FROM unnest(ARRAY['a-2', NULL]::text[], ARRAY['a-2', NULL]::text[],
    '{1,2}'::int[], '{11,4}'::bigint[], '{4,4}'::int[], '{1700000000000,1700000000001}'::bigint[],
    ARRAY['\x612d32', NULL]::bytea[], ARRAY['\x00ff', '\x78']::bytea[], ARRAY['[]', '[]']::json[],
    '{failed,null-key}'::text[], '{no,none}'::text[], '{10,1}'::int[]) WITH ORDINALITY AS m(owner,
    row_key, source, record_offset, leader_epoch, record_timestamp, key, value, headers, reason, error,
    attempts, position) WHERE (m.owner IS NULL OR m.owner IN (SELECT key FROM won))
    ORDER BY m.position ON CONFLICT (source, record_offset, leader_epoch) DO NOTHING),
    put_out AS (INSERT INTO ${schema}.outbox (topic, key, value, headers, source, record_offset,
    leader_epoch, ordinal) SELECT m.topic, m.key, m.value, m.headers, m.source, m.record_offset,
    m.leader_epoch, m.ordinal FROM unnest('{a-1}'::text[], '{dead}'::text[], ARRAY['\x612d31']::bytea[],
    ARRAY['\x01']::bytea[], ARRAY['[]']::json[], '{1}'::int[], '{10}'::bigint[], '{4}'::int[],
    '{0}'::int[]) WITH ORDINALITY AS m(owner, topic, key, value, headers, source, record_offset,
    leader_epoch, ordinal, position) WHERE (m.owner IS NULL OR m.owner IN (SELECT key FROM won))
    ORDER BY m.position ON CONFLICT (source, record_offset, leader_epoch, ordinal) DO NOTHING)
    SELECT count(*) FROM won;
SELECT s.key, s.version, s.state, s.marks, s.ids, s.parked FROM ${schema}.state AS s
    WHERE s.key = ANY ('{a-1}'::text[]) UNION ALL SELECT NULL, 0, NULL, string_agg(number || ':'
    || purged_below || CASE WHEN purged_epoch < 0 THEN '' ELSE '@' || purged_epoch END, ' '
    ORDER BY number), NULL, 0 FROM ${schema}.source WHERE purged_below > 0;

WITH n AS MATERIALIZED (SELECT * FROM unnest('{1,2}'::int[], '{13,5}'::bigint[], '{4,4}'::int[])
    AS n(source, next_offset, leader_epoch)), raised AS (UPDATE ${schema}.checkpoint AS c
    SET next_offset = n.next_offset, leader_epoch = n.leader_epoch, updated_at = now() FROM n
    WHERE c.source = n.source AND c.slot = 0
    AND (c.next_offset, c.leader_epoch) < (n.next_offset, n.leader_epoch))
    SELECT count(*) FROM n JOIN ${schema}.checkpoint AS c ON c.source = n.source AND c.slot = 0;
WITH recorded AS (INSERT INTO ${schema}.skipped AS s (source, first_offset, last_offset, cause, instance)
    VALUES (2, 5, 6, 'gap', 'former-1') ON CONFLICT (source, first_offset) DO UPDATE
    SET last_offset = greatest(s.last_offset, excluded.last_offset)), raised AS (UPDATE
    ${schema}.checkpoint SET next_offset = 7, leader_epoch = -1, updated_at = now()
    WHERE source = 2 AND slot = 0 AND next_offset < 7) SELECT 1;

INSERT INTO ${schema}.request (row_key, action, position, requested_by) SELECT k.key, 'redrive',
    (SELECT min(position) FROM ${schema}.parked WHERE row_key = k.key), 'me'
    FROM (SELECT 'a-2'::text AS key) AS k
    WHERE EXISTS (SELECT FROM ${schema}.parked WHERE row_key = k.key)
    OR EXISTS (SELECT FROM ${schema}.state WHERE key = k.key AND parked > 0) RETURNING number;
INSERT INTO ${schema}.request (row_key, action, position, version, state, requested_by) SELECT key,
    'set', (SELECT max(position) FROM ${schema}.parked WHERE row_key = s.key), version, '{"n":5}', 'me'
    FROM ${schema}.state AS s WHERE key = 'a-1' AND version = coalesce(2, version) RETURNING number;
WITH seen AS (INSERT INTO ${schema}.instance (name) VALUES ('former-1') ON CONFLICT (name)
    DO UPDATE SET seen_at = now()) UPDATE ${schema}.request SET taken_by = 'former-1/x',
    broken_off = broken_off + CASE WHEN taken_by <> 'former-1/x' THEN 1 ELSE 0 END, taken_until = now()
    WHERE number = (SELECT number FROM ${schema}.request WHERE done_at IS NULL
    AND action IN ('redrive', 'skip', 'drop', 'quarantine', 'set', 'delete')
    AND (taken_until IS NULL OR taken_until < now() OR taken_by = 'former-1/x')
    ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING number, row_key, action, position, version, state, broken_off;
INSERT INTO ${schema}.lease AS l (name, taken_by, taken_until) VALUES ('relay', 'former-1', now())
    ON CONFLICT (name) DO UPDATE SET taken_by = excluded.taken_by, taken_until = excluded.taken_until
    WHERE l.taken_by = excluded.taken_by OR l.taken_until < now();
INSERT INTO ${schema}.crash AS k (source, record_offset, row_key, times, instance)
    SELECT n.source, n.record_offset, n.row_key, 1, 'former-1'
    FROM unnest('{1}'::int[], '{20}'::bigint[], '{a-4}'::text[]) AS n(source, record_offset, row_key)
    ON CONFLICT (source, record_offset) DO UPDATE SET times = k.times + 1,
    instance = EXCLUDED.instance, died_at = now();
INSERT INTO ${schema}.stopped (source, reason, instance) VALUES (2, 'too much failed', 'former-1')
    ON CONFLICT (source) DO NOTHING;
UPDATE ${schema}.purge SET taken_by = 'former-1', taken_until = now()
    WHERE (taken_by = 'former-1' OR taken_until < now()) AND begins_at <= now() RETURNING next_page;
UPDATE ${schema}.purge SET next_page = 0, begins_at = now();
UPDATE ${schema}.source SET purged_below = 3, purged_epoch = 4 WHERE number = 2 AND purged_below < 3;
