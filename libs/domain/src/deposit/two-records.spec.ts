import { describe, expect, it } from '@jest/globals';

import { money } from '../money/money.js';
import {
  depositDifference,
  FITTING_STATES,
  type DepositRecord,
  type LedgerDepositState,
  type OfframpDepositState,
} from './two-records.js';

const RECORD: DepositRecord = {
  depositId: 7,
  partnerId: 1,
  chain: 'CELO',
  received: money(12_500_000n, 'USDC@CELO'),
  state: 'consumed',
  changedAt: new Date(0),
};
const inLedger = (more: Partial<DepositRecord> = {}): DepositRecord => ({ ...RECORD, state: 'funding', ...more });
const LEDGER_STATES: readonly LedgerDepositState[] = [
  'funding',
  'ordered',
  'unapplied',
  'credited',
  'refunding',
  'refunded',
  'reverted',
  'vanished',
];

/** By hand: f fits, p passing, . neither. */
const GOLDEN: Readonly<Record<OfframpDepositState, string>> = {
  consumed: 'ffpfpp..',
  unapplied: '.pf.pp..',
  credited: '.ppfp...',
  refunding: 'p.ppff..',
  refunded: '....pf..',
  reverted: 'ppppppff',
};

describe('a deposit as two services keep it', () => {
  it.each(Object.entries(GOLDEN))(
    '%s of offramp fits the states of the ledger that people wrote down',
    (state, cells) => {
      const told = LEDGER_STATES.map((other) => {
        const found = depositDifference({ ...RECORD, state }, inLedger({ state: other }));
        return found === undefined ? 'f' : found.passing ? 'p' : '.';
      });
      expect(told.join('')).toBe(cells);
    },
  );

  it('has no state that both fits and passes, and none of offramp without a row', () => {
    for (const { fits, passing } of Object.values(FITTING_STATES))
      expect(fits.filter((state) => passing.includes(state))).toEqual([]);
    expect(Object.keys(FITTING_STATES).sort()).toEqual(Object.keys(GOLDEN).sort());
  });

  it.each<[string, Partial<DepositRecord>]>([
    ['another amount', { received: money(12_499_999n, 'USDC@CELO') }],
    ['another token', { received: money(12_500_000n, 'USDT@CELO') }],
    ['another chain', { chain: 'BASE' }],
    ['another partner', { partnerId: 2 }],
    ['a state that nobody knows', { state: 'lost' }],
  ])('differs for good by %s', (_what, more) => {
    expect(depositDifference(RECORD, inLedger(more))).toMatchObject({ deposit_id: 7, passing: false });
  });

  it('may be under way to payments, and never is to offramp', () => {
    expect(depositDifference(RECORD, undefined)).toMatchObject({ deposit_id: 7, passing: true });
    expect(depositDifference(undefined, inLedger())).toMatchObject({ deposit_id: 7, passing: false });
  });

  it('was told to be gone before its value came', () => {
    expect(
      depositDifference(
        { ...RECORD, state: 'reverted' },
        inLedger({ state: 'vanished', received: money(0n, ''), chain: '' }),
      ),
    ).toBeUndefined();
    expect(depositDifference(RECORD, inLedger({ state: 'vanished' }))).toMatchObject({ passing: false });
  });
});
