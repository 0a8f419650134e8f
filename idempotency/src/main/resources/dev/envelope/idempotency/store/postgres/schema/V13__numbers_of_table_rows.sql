-- ${schema} is the quoted name of the schema.

-- Each number stands for a thousand million: a process that begins to read a table takes one, and numbers the rows
-- that it reads from there on. So no two rows of a table get the same place in marks and in parked.
CREATE SEQUENCE ${schema}.reading;

UPDATE ${schema}.application SET tables_version = 13;
