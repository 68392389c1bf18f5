import type { ProviderCapabilities } from '../../payout-provider.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const CHAPA_CAPABILITIES: ProviderCapabilities = {
  // [U] "The reference number has been used before" is documented, and not that it surely pays nothing more. So nothing is sent again.
  dedupesForMs: null,
  // [U] no document says what "not found" means of a transfer that is on its way.
  notFoundProvesAfterMs: null,
  // [U] nothing is told of corrections.
  lateWindowMs: 72 * HOUR_MS,
  // [U] no reason comes with "failed", so it may be silence of the wallet.
  refundSafeAfterMs: 24 * HOUR_MS,
  // [U] its record of a reference is of one transfer. Callbacks and records call that by other numbers, and the bank's comes later.
  onePaymentPerId: true,
  // `statementTellsReturns` is absent: whether the list is newest first is [U], and it is read to a last page.
  latePollScheduleMs: [5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 12 * HOUR_MS],
  // [U] no rate is published but for batches, which we do not send.
  callsAtOnce: 8,
  pollScheduleMs: [5_000, 10_000, 20_000, 30_000, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS],
  // [U] it may ask us for approval before it answers, so longer than elsewhere.
  callTimeoutMs: 30_000,
  // [U] no rate is published. It is gone through to its end, some pages each time.
  statementEveryMs: MINUTE_MS,
  // [D] none published.
  resolvesNames: false,
  // [U] too little balance is refused at the call, and what is not approved is "reverted".
  debitsAt: 'acceptance',
};
