import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallContext } from '@vuka/contracts';
import { fullCoverage, type Coverage, type PayoutDestination, type Result } from '@vuka/domain';
import { systemClock, uuidv7 } from '@vuka/runtime';
import { COVERAGE } from '@vuka/service-host';

import { CommitWriter } from '../../commit/commit-writer.js';
import { partsOn, type Parts } from '../../testing/parts.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../../testing/payments-database.spec-support.js';
import { Wallets } from '../../wallets/wallets.js';
import type { AcceptPayInput } from './accept-pay.js';
import type { AcceptPayoutInput } from './accept-payout.js';
import { AcceptanceHandlers } from './acceptance-handlers.js';

const CONTEXT: CallContext = { requestId: 'r-1', traceparent: '00-1', deadline: Number.MAX_SAFE_INTEGER };
const SAFARICOM: PayoutDestination = { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' };
const AIRTEL: PayoutDestination = { ...SAFARICOM, mobile_network: 'Airtel' };

const ALL = fullCoverage(['sandbox']);
const WITHOUT_AIRTEL: Coverage = ALL.filter(({ network }) => network !== 'Airtel');

let pg: PaymentsDatabase;
/** One writer, as of one process: the file is read at a start. */
let before: Parts;
let now: Parts;
let partner = 0;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  before = partsOn(pg.db, systemClock, [], [COVERAGE, ALL]);
  now = partsOn(pg.db, systemClock, [], [COVERAGE, WITHOUT_AIRTEL]);
}, 60_000);

beforeEach(async () => {
  partner += 1;
  const openings = [{ currency: 'KES', amount_minor: '100000' }];
  await before.get(Wallets).openInSandbox({ partner_id: partner, openings });
});

afterAll(async () => {
  for (const parts of [before, now]) await parts.get(CommitWriter).drain();
  await pg.stopWhole();
});

const acceptPayout = (parts: Parts, more: Partial<AcceptPayoutInput> = {}): Promise<Result<{ replayed: boolean }>> =>
  parts.get(AcceptanceHandlers).handlers.acceptPayout({ operation: 'disburse', ...requestOf(), ...more }, CONTEXT);

const acceptPay = (parts: Parts, more: Partial<AcceptPayInput> = {}): Promise<Result<{ replayed: boolean }>> =>
  parts.get(AcceptanceHandlers).handlers.acceptPay(
    { ...requestOf(), chain: 'CELO', transaction_hash: `0x${uuidv7().replaceAll('-', '').padEnd(64, '0')}`, asset: null, quote_id: null, refund_address: null, ...more },
    CONTEXT,
  ); // prettier-ignore

function requestOf(): Omit<AcceptPayoutInput, 'operation'> {
  return {
    partner_id: partner,
    transaction_code: uuidv7(),
    fingerprint: 'v1:a',
    currency: 'KES',
    amount_minor: '50000',
    fee_minor: '0',
    destination: AIRTEL,
    callback_url: null,
  };
}

const left = async (): Promise<unknown> => {
  const [row] = await pg.db.query<{ transactions: number; balance: string }>(
    `select (select count(*)::integer from transactions where partner_id = $1) as transactions,
            (select balance_minor::text from accounts where name = $2) as balance`,
    [partner, `wallet:${String(partner)}:KES`],
  );
  return row;
};
const NOTHING = { transactions: 0, balance: '100000' };

describe('what no configured route carries', () => {
  it.each([
    ['a payout', acceptPayout],
    ['a pay', acceptPay],
  ] as const)('%s is refused before anything is recorded or held', async (_, accept) => {
    expect(await accept(now)).toMatchObject({ ok: false, error: { code: 'unsupported_network' } });
    expect(await left()).toEqual(NOTHING);
  });

  it.each<[string, Partial<AcceptPayoutInput>, string]>([
    ['for a kind', { currency: 'NGN' }, 'invalid_request'],
    ['for a bank transfer', { operation: 'bank_transfer', currency: 'GHS' }, 'unsupported_currency'],
    ['for a network', { currency: 'UGX' }, 'unsupported_network'],
  ])('is told by a code %s', async (_, more, code) => {
    expect(await acceptPayout(now, more)).toMatchObject({ ok: false, error: { code } });
    expect(await left()).toEqual(NOTHING);
  }); // prettier-ignore

  it('is judged by what the recipient gets', async () => {
    const limited: Coverage = ALL.map((route) => ({
      ...route,
      carriers: route.carriers.map((carrier) => ({ ...carrier, limits: { minMinor: 400_00n, maxMinor: 450_00n } })),
    }));
    const parts = partsOn(pg.db, systemClock, [], [COVERAGE, limited]);
    const codes = await Promise.all(
      ['0', '5000', '10000', '10001'].map(async (fee_minor) => {
        const answer = await acceptPayout(parts, { fee_minor });
        return answer.ok ? 'accepted' : answer.error.code;
      }),
    );
    expect(codes).toEqual(['amount_out_of_range', 'accepted', 'accepted', 'amount_out_of_range']);
    await parts.get(CommitWriter).drain();
  });
});

describe('a route that was taken out of the file', () => {
  it('has what it paid refused; what was accepted before is answered as before', async () => {
    const transaction_code = 'airtel-1';
    expect(await acceptPayout(before, { transaction_code })).toMatchObject({ ok: true, value: { replayed: false } });
    expect(await acceptPayout(now, { transaction_code })).toMatchObject({ ok: true, value: { replayed: true } });
    expect(await acceptPayout(now, { transaction_code, fingerprint: 'v1:b' })).toMatchObject({
      ok: false,
      error: { code: 'reference_reused' },
    });
    expect(await acceptPayout(now, { transaction_code: 'airtel-2' })).toMatchObject({
      ok: false,
      error: { code: 'unsupported_network' },
    });
    expect(await left()).toEqual({ transactions: 1, balance: '50000' });
  });

  it('has nothing else refused', async () => {
    expect(await acceptPayout(now, { destination: SAFARICOM })).toMatchObject({ ok: true });
    expect(await acceptPay(now, { destination: SAFARICOM })).toMatchObject({ ok: true });
  });
});
