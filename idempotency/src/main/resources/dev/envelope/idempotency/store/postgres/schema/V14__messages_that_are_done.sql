-- ${schema} is the quoted name of the schema.

-- With dedupe=store: the messages that are done and not below their source's checkpoint, which says the same of those
-- that are. A row is inserted in the transaction of what the handler writes.
CREATE TABLE ${schema}.done (
    source integer NOT NULL,
    record_offset bigint NOT NULL,
    leader_epoch integer NOT NULL,
    PRIMARY KEY (source, record_offset)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0);

UPDATE ${schema}.application SET tables_version = 14;
