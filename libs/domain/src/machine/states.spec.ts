import { describe, expect, it } from '@jest/globals';

import {
  INITIAL_STATE,
  isTerminal,
  publicStatusOf,
  statesOf,
  TRANSACTION_STATES,
  type PublicStatus,
  type TransactionState,
} from './states.js';

const STATES = Object.keys(TRANSACTION_STATES) as TransactionState[];

describe('transaction states', () => {
  it('are split among the public statuses without rest', () => {
    const statuses: PublicStatus[] = ['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED', 'REVERSED'];
    expect(statuses.flatMap((status) => [...statesOf(status)]).sort()).toEqual([...STATES].sort());
    for (const state of STATES) expect(statesOf(publicStatusOf(state))).toContain(state);
  });

  it('begin PENDING and end in three ways', () => {
    expect(publicStatusOf(INITIAL_STATE.wallet)).toBe('PENDING');
    expect(publicStatusOf(INITIAL_STATE.deposit)).toBe('PENDING');
    expect(STATES.filter(isTerminal)).toEqual(['COMPLETE', 'FAILED', 'REVERSED']);
  });
});
