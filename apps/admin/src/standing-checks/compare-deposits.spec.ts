import { describe, expect, it } from '@jest/globals';
import { money, type DepositRecord } from '@vuka/domain';

import { compareDeposits, type CompareDepositsParts, type DepositSource } from './compare-deposits.js';

const NOW = new Date('2026-12-01T10:00:00Z');
const OLD = new Date(NOW.getTime() - 3_600_000);

const record = (depositId: number, more: Partial<DepositRecord> = {}): DepositRecord => ({
  depositId,
  partnerId: 1,
  chain: 'CELO',
  received: money(12_500_000n, 'USDC@CELO'),
  state: 'consumed',
  changedAt: OLD,
  ...more,
});
const ledger = (depositId: number, more: Partial<DepositRecord> = {}): DepositRecord =>
  record(depositId, { state: 'funding', ...more });

/** Tests may change these deposits between two readings. */
class Kept implements DepositSource {
  pages = 0;
  constructor(
    public records: readonly DepositRecord[],
    public later: readonly DepositRecord[] = records,
  ) {}

  depositsAfter(id: number, limit: number): Promise<readonly DepositRecord[]> {
    this.pages += 1;
    return Promise.resolve(this.records.filter(({ depositId }) => depositId > id).slice(0, limit));
  }

  depositsNamed(ids: readonly number[]): Promise<readonly DepositRecord[]> {
    return Promise.resolve(this.later.filter(({ depositId }) => ids.includes(depositId)));
  }
}

function compare(
  offramp: Kept,
  payments: Kept,
  more: Partial<CompareDepositsParts> = {},
): ReturnType<typeof compareDeposits> {
  return compareDeposits({
    offramp,
    payments,
    isRunning: true,
    now: () => NOW,
    pause: () => Promise.resolve(),
    pageSize: 3,
    ...more,
  });
}

const ids = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('the deposits of offramp and of payments', () => {
  it('are compared page by page to the last page, also with gaps in the ids', async () => {
    const offramp = new Kept(
      ids(20)
        .filter((id) => id % 3 !== 0)
        .map((id) => record(id)),
    );
    const payments = new Kept(offramp.records.map(({ depositId }) => ledger(depositId)));
    expect(await compare(offramp, payments)).toEqual({ compared: 14, differences: [], underWay: 0, more: false });
    expect(offramp.pages).toBeGreaterThan(4);
  });

  it.each<[string, readonly DepositRecord[], readonly DepositRecord[], RegExp]>([
    [
      'is missing in payments',
      ids(9).map((id) => record(id)),
      ids(9)
        .filter((id) => id !== 5)
        .map((id) => ledger(id)),
      /^payments has none; offramp has 12500000 of USDC@CELO/,
    ],
    [
      'is missing in offramp',
      ids(9)
        .filter((id) => id !== 5)
        .map((id) => record(id)),
      ids(9).map((id) => ledger(id)),
      /^offramp has none; payments has 12500000/,
    ],
    [
      'is the last, and missing in offramp',
      ids(4).map((id) => record(id)),
      ids(5).map((id) => ledger(id)),
      /^offramp has none/,
    ],
    [
      'has another amount',
      ids(9).map((id) => record(id)),
      ids(9).map((id) => ledger(id, id === 5 ? { received: money(12_499_999n, 'USDC@CELO') } : {})),
      /payments has 12499999 of/,
    ],
    [
      'is of another token',
      ids(9).map((id) => record(id)),
      ids(9).map((id) => ledger(id, id === 5 ? { received: money(12_500_000n, 'USDT@CELO') } : {})),
      /payments has 12500000 of USDT@CELO/,
    ],
    [
      'is in a state that does not fit',
      ids(9).map((id) => record(id, id === 5 ? { state: 'unapplied' } : {})),
      ids(9).map((id) => ledger(id)),
      /, unapplied; payments has .*, funding$/,
    ],
    [
      'is in a state that fits only while an event is under way',
      ids(9).map((id) => record(id, id === 5 ? { state: 'reverted' } : {})),
      ids(9).map((id) => ledger(id)),
      /, reverted; payments has/,
    ],
  ])('differ where one %s', async (_what, told, kept, what) => {
    const { differences, underWay } = await compare(new Kept(told), new Kept(kept));
    expect([differences.map(({ deposit_id }) => deposit_id), underWay]).toEqual([[5], 0]);
    expect(differences[0]?.what).toMatch(what);
  });

  it('do not differ if the second comparison finds them equal', async () => {
    const payments = new Kept([ledger(1)], [ledger(1), ledger(2)]);
    let waited = 0;
    expect(
      await compare(new Kept([record(1), record(2)]), payments, { pause: (ms) => Promise.resolve((waited += ms)) }),
    ).toMatchObject({ differences: [], underWay: 0 });
    expect(waited).toBeGreaterThan(1_000);
  });

  it('count as on their way only while an event of the last minute can explain the difference', async () => {
    const young = { changedAt: new Date(NOW.getTime() - 10_000) };
    expect(await compare(new Kept([record(1, young)]), new Kept([]))).toMatchObject({ differences: [], underWay: 1 });
    expect(await compare(new Kept([record(1)]), new Kept([ledger(1, { state: 'refunding', ...young })]))).toMatchObject(
      { differences: [], underWay: 1 },
    );
    expect(
      (
        await compare(
          new Kept([record(1, young)]),
          new Kept([ledger(1, { received: money(1n, 'USDC@CELO'), ...young })]),
        )
      ).differences,
    ).toHaveLength(1);
    expect((await compare(new Kept([]), new Kept([ledger(1, young)]))).differences).toHaveLength(1);
  });

  it('count as on their way while the services are stopped', async () => {
    expect(await compare(new Kept([record(1)]), new Kept([]), { isRunning: false })).toMatchObject({
      differences: [],
      underWay: 1,
    });
    expect(
      (
        await compare(new Kept([record(1)]), new Kept([ledger(1, { received: money(1n, 'USDC@CELO') })]), {
          isRunning: false,
        })
      ).differences,
    ).toHaveLength(1);
  });

  it('are reported as many if hundreds of them differ', async () => {
    const { differences, more } = await compare(new Kept(ids(600).map((id) => record(id))), new Kept([]), {
      pageSize: 100,
    });
    expect([differences.length, more]).toEqual([20, true]);
  });
});
