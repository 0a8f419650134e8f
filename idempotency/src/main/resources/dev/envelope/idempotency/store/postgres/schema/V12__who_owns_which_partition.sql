-- ${schema} is the quoted name of the schema.

-- What a process has told of itself: the address of its gateway, and the partitions that it owns in a generation of the
-- group. topics and partitions belong together by position. Null for processes without a gateway.
ALTER TABLE ${schema}.instance ADD COLUMN generation integer;
ALTER TABLE ${schema}.instance ADD COLUMN topics text[];
ALTER TABLE ${schema}.instance ADD COLUMN partitions integer[];
ALTER TABLE ${schema}.instance ADD COLUMN told_at timestamptz;

UPDATE ${schema}.application SET tables_version = 12;
