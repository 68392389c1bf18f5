import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings } from '@vuka/config';
import type { CallContext } from '@vuka/contracts';
import { type Coverage, ok, type Result } from '@vuka/domain';
import { readProvidersFile } from '@vuka/payouts';
import { ManualClock, uuidv7 } from '@vuka/runtime';
import { COVERAGE, SETTINGS } from '@vuka/service-host';

import { leaseFor } from '../../due-work/lease.js';
import { AcceptanceHandlers } from '../../payouts/accept/acceptance-handlers.js';
import { CallProvider } from '../../payouts/call-provider.js';
import { StartPayout } from '../../payouts/start-payout.js';
import { AttemptClaims, type ClaimPurpose, TransactionStore } from '../../transactions/index.js';
import { Wallets } from '../../wallets/wallets.js';
import { type Parts, partsOn } from '../parts.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../payments-database.spec-support.js';
import { LEASE_MS, nextPartner, ScriptedProvider } from '../payout-harness.spec-support.js';
import { paid, SUBMITTED } from '../provider-answers.spec-support.js';

const CONTEXT: CallContext = { requestId: 'r-1', traceparent: '00-1', deadline: Number.MAX_SAFE_INTEGER };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FUNDS = 1_000_00n;
const AMOUNT = 100_00n;

const row = (id: string, secret: string): object => ({
  id,
  base_url: 'http://127.0.0.1:9',
  secret,
  countries: ['ET'],
  accepts_stablecoin_funds: 'consent',
});
const route = (network: string, ...providers: string[]): object => ({ currency: 'ETB', kind: 'mobile', network, providers }); // prettier-ignore

function coverageOf(providers: readonly object[], routes: readonly object[]): Coverage {
  const file = readProvidersFile({ providers, routes }, { env: 'sandbox', allowStablecoinFundsAt: [] });
  if (!file.ok) throw new Error(file.error.join('\n'));
  return file.value.coverage;
}
const PAWAPAY = row('pawapay', 'pawapay');
const MPESA = route('MPESA', 'pawapay');
const WITH_CHAPA = coverageOf([PAWAPAY, row('chapa', 'chapa')], [MPESA, route('Telebirr', 'chapa')]);
const WITHOUT_CHAPA = coverageOf([PAWAPAY], [MPESA]);

let pg: PaymentsDatabase;
beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

let clock: ManualClock;
let chapa: ScriptedProvider;
let partner: number;

const live = (coverage: Coverage, providers: readonly ScriptedProvider[]): Parts =>
  partsOn(pg.db, clock, providers, [COVERAGE, coverage], [SETTINGS, { ...loadSettings({}), env: 'live' }]);

beforeEach(async () => {
  clock = new ManualClock(new Date());
  chapa = new ScriptedProvider([], false, 'chapa');
  chapa.floats = [{ wallet: 'main', currency: 'ETB' }];
  partner = nextPartner();
  const openings = [{ currency: 'ETB', amount_minor: String(FUNDS) }];
  await partsOn(pg.db, clock, [chapa], [COVERAGE, WITH_CHAPA])
    .get(Wallets)
    .openInSandbox({ partner_id: partner, openings });
});

type Accepted = Result<{ transaction_id: number; replayed: boolean }>;

function accept(parts: Parts, code = uuidv7()): Promise<Accepted> {
  const { acceptPayout } = parts.get(AcceptanceHandlers).handlers;
  return acceptPayout(
    {
      operation: 'disburse',
      partner_id: partner,
      transaction_code: code,
      fingerprint: 'v1:x',
      currency: 'ETB',
      amount_minor: String(AMOUNT),
      fee_minor: '0',
      destination: { kind: 'mobile', phone: '+251911234567', mobile_network: 'Telebirr' },
      callback_url: null,
    },
    CONTEXT,
  );
}

async function idOf(accepted: Promise<Accepted>): Promise<number> {
  const result = await accepted;
  if (!result.ok) throw new Error(result.error.message);
  return result.value.transaction_id;
}

async function start(parts: Parts, id: number): Promise<void> {
  const due = await parts.get(TransactionStore).dueForStart(clock.now(), 1_000);
  for (const one of due) if (one.details.id === id) await parts.get(StartPayout).run(one);
}

async function call(parts: Parts, purpose: ClaimPurpose): Promise<void> {
  const claimed = await parts.get(AttemptClaims).claim(purpose, 'chapa', leaseFor(LEASE_MS, clock), 1_000);
  for (const attempt of claimed) await parts.get(CallProvider).run(purpose, attempt);
}

async function stands(id: number): Promise<[state: string | undefined, failure: string | null | undefined, wallet: bigint]> {
  const life = (await live(WITHOUT_CHAPA, []).get(TransactionStore).byId(id))?.life;
  const [account] = await pg.db.query<{ minor: string }>('select balance_minor::text as minor from accounts where name = $1', [`wallet:${partner}:ETB`]); // prettier-ignore
  return [life?.state, life?.failureCode, BigInt(account?.minor ?? -1)];
} // prettier-ignore

describe('when Chapa is taken out of the providers file', () => {
  it('Telebirr is refused at once and by name, and nothing is recorded or held', async () => {
    const now = live(WITHOUT_CHAPA, []);
    const refused = await accept(now);
    const message = 'mobile_network must be one of MPESA for ETB';
    expect(refused).toMatchObject({ ok: false, error: { code: 'unsupported_network', message } });
    const left = await pg.db.query('select from transactions where partner_id = $1', [partner]);
    expect([left.length, (await stands(0))[2]]).toEqual([0, FUNDS]);
    const none = live(
      coverageOf([PAWAPAY], [route('MPESA', 'pawapay')]).filter(() => false),
      [],
    );
    expect(await accept(none)).toMatchObject({ ok: false, error: { code: 'unsupported_currency' } });
  });

  it('what was accepted and not sent is found by its reference, waits four hours and fails with its money back', async () => {
    const code = uuidv7();
    const id = await idOf(accept(live(WITH_CHAPA, [chapa]), code));
    const now = live(WITHOUT_CHAPA, []);
    expect(await accept(now, code)).toEqual(ok(expect.objectContaining({ transaction_id: id, replayed: true })));
    await start(now, id);
    for (let waited = 0; waited < 4 * HOUR_MS - 10 * MINUTE_MS; waited += 10 * MINUTE_MS) {
      clock.advance(10 * MINUTE_MS);
      await start(now, id);
      expect(await stands(id)).toEqual(['QUEUED', null, FUNDS - AMOUNT]);
    }
    clock.advance(11 * MINUTE_MS);
    await start(now, id);
    expect(await stands(id)).toEqual(['FAILED', 'rail_unavailable', FUNDS]);
    expect(chapa.submitted).toEqual([]);
  });

  it('what was sent is asked about while its row is there, and ends as Chapa says', async () => {
    const before = live(WITH_CHAPA, [chapa.will(SUBMITTED, paid('C1'))]);
    const id = await idOf(accept(before));
    await start(before, id);
    await call(before, 'submit');
    const now = live(WITHOUT_CHAPA, [chapa]);
    clock.advance(5_000);
    await call(now, 'poll');
    expect(await stands(id)).toEqual(['COMPLETE', null, FUNDS - AMOUNT]);
  });

  it('what was sent never fails by itself, even when its row is gone too soon', async () => {
    const before = live(WITH_CHAPA, [chapa.will(SUBMITTED, paid('C2'))]);
    const id = await idOf(accept(before));
    await start(before, id);
    await call(before, 'submit');
    const now = live(WITHOUT_CHAPA, []);
    for (let day = 0; day < 7; day += 1) {
      clock.advance(24 * HOUR_MS);
      await start(now, id);
      expect(await stands(id)).toEqual(['SUBMITTED', null, FUNDS - AMOUNT]);
    }
    await call(before, 'poll');
    expect(await stands(id)).toEqual(['COMPLETE', null, FUNDS - AMOUNT]);
  });
});
