const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * [D] 16 to 50 characters of `a-z 0-9 - _`: an attempt's id is one as it is, in small letters. It is no setting: another form would make a
 * repeat a new transfer.
 */
export function referenceOf(attemptId: string): string {
  const reference = attemptId.toLowerCase();
  if (!UUID.test(reference)) throw new RangeError('referenceOf: an attempt id that is no UUID');
  return reference;
}

/** [] of what is no reference of ours. */
export function attemptIdsOf(reference: string): string[] {
  return UUID.test(reference) ? [reference] : [];
}

/** [U] M-PESA's own reference of a payment to a till, 13 characters at most. */
export function tillReferenceOf(attemptId: string): string {
  return referenceOf(attemptId).slice(-12);
}
