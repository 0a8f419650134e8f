-- ${schema} is the quoted name of the schema.

-- tables_version: what is installed. min_program: the oldest program that may run on that, by the
-- version of the tables that it brings. Programs of version 7 and before know neither and demand exactly
-- 7 of schema_version: so that stays at 7 for as long as they may run on these tables.
ALTER TABLE ${schema}.application ADD COLUMN tables_version integer;
ALTER TABLE ${schema}.application ADD COLUMN min_program integer;

-- Settings that decide what is in the rows: the first start writes them down, and a later one with others
-- is refused. formerly: the value that an operator has replaced.
CREATE TABLE ${schema}.pin (
    name text COLLATE "C" PRIMARY KEY,
    value text NOT NULL,
    formerly text,
    pinned_by text NOT NULL,
    pinned_at timestamptz NOT NULL DEFAULT now()
);

UPDATE ${schema}.application SET tables_version = 8, min_program = 7;
