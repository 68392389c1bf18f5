import { describe, expect, it } from '@jest/globals';
import type { AttemptState } from '@vuka/domain';
import type { PayoutProvider, ProviderCapabilities } from '@vuka/payouts';
import { ManualClock } from '@vuka/runtime';

import type { ClaimedAttempt } from '../transactions/index.js';
import { StatusPolls } from './status-polls.js';

const LATE_WINDOW_MS = 60_000;
const NOW = new Date('2026-11-28T12:00:00Z');
const polls = new StatusPolls(undefined as never, undefined as never, undefined as never, new ManualClock(NOW));

function nextOf(state: AttemptState, told: Partial<ProviderCapabilities> = {}): Date | null {
  const capabilities = { lateWindowMs: LATE_WINDOW_MS, latePollScheduleMs: [5_000], pollScheduleMs: [1_000], ...told };
  const provider = { capabilities, statement: () => null } as unknown as PayoutProvider;
  return polls.next({ was: 'PENDING', polls: 0, lateUntil: null } as unknown as ClaimedAttempt, state, provider);
}

/** Of a provider that has a statement. */
describe('the next poll', () => {
  it('of what is paid comes, because a statement may be refused, or say it in words that nobody reads', () => {
    expect(nextOf('PAID')).toEqual(new Date(NOW.getTime() + 5_000));
  });

  it('of what is paid never comes where the statement surely tells what becomes of it', () => {
    expect(nextOf('PAID', { statementTellsReturns: true })).toBeNull();
    expect(nextOf('NOT_PAID', { statementTellsReturns: true })).toEqual(new Date(NOW.getTime() + 5_000));
    expect(nextOf('PENDING', { statementTellsReturns: true })).toEqual(new Date(NOW.getTime() + 1_000));
  });
});
