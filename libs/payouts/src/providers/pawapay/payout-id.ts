const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const VERSION_AT = 14;
/** Versions that our attempts' ids have: payments', and version 4 of tests and people. */
const OUR_VERSIONS = ['8', '4'];

/**
 * pawaPay asks for a UUID of version 4 [D]. Ours are of version 8 (DestinationVault), so their version is written as 4.
 * Nothing is lost: each of our ids has one of theirs, for ever the same. Another form would make a repeat a new payout.
 */
export function payoutIdOf(attemptId: string): string {
  const id = attemptId.toLowerCase();
  if (!UUID.test(id)) throw new RangeError('payoutIdOf: an attempt id that is no UUID');
  return ofVersion(id, '4');
}

/** Attempts that a payoutId may stand for; payments has one of them at most. [] of what is no id of ours. */
export function attemptIdsOf(payoutId: string): string[] {
  const id = payoutId.toLowerCase();
  if (!UUID.test(id)) return [];
  return id[VERSION_AT] === '4' ? OUR_VERSIONS.map((version) => ofVersion(id, version)) : [];
}

function ofVersion(id: string, version: string): string {
  return id.slice(0, VERSION_AT) + version + id.slice(VERSION_AT + 1);
}
