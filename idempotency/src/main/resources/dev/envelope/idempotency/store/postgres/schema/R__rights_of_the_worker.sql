-- What the worker needs, if it is not the owner: its rows, and no right to change tables.
-- ${schema} and ${worker} are quoted names.
GRANT USAGE ON SCHEMA ${schema} TO ${worker};
GRANT SELECT ON ${schema}.application, ${schema}.audit, ${schema}.outputs TO ${worker};
GRANT UPDATE (application_id, null_key_spread) ON ${schema}.application TO ${worker};
GRANT SELECT, INSERT, UPDATE, DELETE ON
    ${schema}.state,
    ${schema}.source,
    ${schema}.checkpoint,
    ${schema}.parked,
    ${schema}.parked_tally,
    ${schema}.done,
    ${schema}.dropped,
    ${schema}.paused,
    ${schema}.outbox,
    ${schema}.output,
    ${schema}.relay,
    ${schema}.reply,
    ${schema}.timer,
    ${schema}.replacement,
    ${schema}.request,
    ${schema}.instance,
    ${schema}.purge,
    ${schema}.lease,
    ${schema}.skipped,
    ${schema}.crash,
    ${schema}.stopped,
    ${schema}.pin
TO ${worker};
GRANT EXECUTE ON FUNCTION ${schema}.refused_of_lanes, ${schema}.require_program TO ${worker};
GRANT USAGE ON SEQUENCE
    ${schema}.output_position,
    ${schema}.reading,
    ${schema}.outbox_position_seq,
    ${schema}.parked_position_seq,
    ${schema}.relay_number_seq,
    ${schema}.request_number_seq,
    ${schema}.source_number_seq
TO ${worker};
