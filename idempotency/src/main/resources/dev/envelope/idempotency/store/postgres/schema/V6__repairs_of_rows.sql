-- ${schema} is the quoted name of the schema.

-- For set and delete: the version that the row must have, and for set its next state, until it is done.
ALTER TABLE ${schema}.request ADD COLUMN version bigint;
ALTER TABLE ${schema}.request ADD COLUMN state text;
ALTER TABLE ${schema}.request DROP CONSTRAINT request_action_check;
ALTER TABLE ${schema}.request ADD CONSTRAINT request_action_check
    CHECK (action IN ('redrive', 'skip', 'drop', 'resume', 'quarantine', 'set', 'delete'));

UPDATE ${schema}.application SET schema_version = 6;
