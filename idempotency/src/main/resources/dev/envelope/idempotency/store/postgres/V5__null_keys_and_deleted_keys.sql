-- Over how many rows records without a key are spread; null until somebody does so. ${schema} is the
-- quoted name of the schema.
ALTER TABLE ${schema}.application ADD COLUMN null_key_spread integer CHECK (null_key_spread > 0);

UPDATE ${schema}.application SET schema_version = 5;
