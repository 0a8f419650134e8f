-- Offsets that were left out for good, by a policy that a person has set: gone from the log before they
-- were applied (gap, with on.gap=earliest), or passed over by an operator (with on.offset.ahead=follow).
CREATE TABLE ${schema}.skipped (
    source integer NOT NULL REFERENCES ${schema}.source (number),
    first_offset bigint NOT NULL,
    last_offset bigint NOT NULL,
    cause text NOT NULL CHECK (cause IN ('gap', 'operator')),
    instance text NOT NULL,
    skipped_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source, first_offset)
);

-- growth: 0 for the partitions that a topic had when it was first read, then one more each time that some
-- were added. settled_at: since when what it brings need not wait for older partitions any more.
ALTER TABLE ${schema}.source ADD COLUMN growth integer NOT NULL DEFAULT 0;
ALTER TABLE ${schema}.source ADD COLUMN settled_at timestamptz;

UPDATE ${schema}.application SET schema_version = 4;
