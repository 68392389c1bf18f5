/** What a provider says against the end of an attempt. */
export const AGAINST_ITS_END = `i.event in ('submitted', 'unknown', 'mismatch')`;

/** Incidents in which a provider contradicts its "not paid": until people have resolved them nothing more leaves for their transaction. */
export const CONTRADICTS = `i.resolved_at is null and ${AGAINST_ITS_END}`;
