export const AGAINST_ITS_END = `i.event in ('submitted', 'unknown', 'mismatch')`;

/** A provider contradicts its "not paid": until resolved, nothing more is sent for the transaction. */
export const CONTRADICTS = `i.resolved_at is null and ${AGAINST_ITS_END}`;
