-- Messages that were being folded when a process died, and how often in a row. A message is deleted when
-- it was folded and the process lived, or when its source's checkpoint has passed it.
CREATE TABLE ${schema}.crash (
    source integer NOT NULL,
    record_offset bigint NOT NULL,
    row_key text COLLATE "C" NOT NULL,
    times integer NOT NULL,
    instance text NOT NULL,
    died_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source, record_offset)
);

-- Partitions that stay stopped, whoever has them, until an operator resumes them.
CREATE TABLE ${schema}.stopped (
    source integer PRIMARY KEY REFERENCES ${schema}.source (number),
    reason text NOT NULL,
    instance text NOT NULL,
    stopped_at timestamptz NOT NULL DEFAULT now()
);

-- For resume, row_key is the partition: topic-number.
ALTER TABLE ${schema}.request DROP CONSTRAINT request_action_check;
ALTER TABLE ${schema}.request ADD CONSTRAINT request_action_check
    CHECK (action IN ('redrive', 'skip', 'drop', 'resume'));

UPDATE ${schema}.application SET schema_version = 3;
