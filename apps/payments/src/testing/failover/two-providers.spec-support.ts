import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadSettings } from '@vuka/config';
import type { CallContext } from '@vuka/contracts';
import type { PayoutDestination } from '@vuka/domain';
import { connectProviders, payoutIdOf, ProviderValues, readProvidersFile } from '@vuka/payouts';
import { ManualClock, uuidv7 } from '@vuka/runtime';
import {
  type PawapayControl,
  type PaystackControl,
  startPawapaySimulator,
  startPaystackSimulator,
} from '@vuka/sandbox';
import { CALLBACK_TOKENS, COVERAGE, LOGGER, SETTINGS } from '@vuka/service-host';
import { eachOf } from '@vuka/testing';

import { CorridorHealth } from '../../corridors/corridor-health.js';
import { ReadAvailability } from '../../corridors/read-availability.js';
import { leaseFor } from '../../due-work/lease.js';
import { AcceptPayout } from '../../payouts/accept/accept-payout.js';
import { CallProvider } from '../../payouts/call-provider.js';
import { StartPayout } from '../../payouts/start-payout.js';
import { AttemptClaims, type ClaimPurpose, TransactionStore } from '../../transactions/index.js';
import { Wallets } from '../../wallets/wallets.js';
import { type Parts, partsOn } from '../parts.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../payments-database.spec-support.js';
import { nextPartner } from '../payout-harness.spec-support.js';
import { handleCallbacks, HeldCallbacks } from './held-callbacks.spec-support.js';
import { ProviderLine } from './provider-line.spec-support.js';

export type Way = 'pawapay' | 'paystack';
/** A phone that pawaPay carries; the last four digits choose what a simulator does. */
export type Corridor = 'GHS' | 'KES' | 'MWK';

const PHONES: Readonly<Record<Corridor, readonly [prefix: string, network: string]>> = {
  GHS: ['+23324412', 'MTN'],
  KES: ['+25471234', 'Safaricom'],
  MWK: ['+26599345', 'Airtel Money'],
};
/** To a number with which every simulator is honest. */
export const HONEST = '7777';
const AMOUNT = 250_00n;
const FUNDS = 10_000_000_00n;
const KEYS: Readonly<Record<Way, string>> = { pawapay: 'test-token-of-a-merchant', paystack: 'sk_test_of-a-merchant' };
const REFUSALS: Readonly<Record<Way, object>> = {
  pawapay: { status: 'REJECTED', failureReason: { failureCode: 'AUTHENTICATION_ERROR', failureMessage: 'no' } },
  paystack: { status: false, message: 'Invalid key', type: 'validation_error', code: 'invalid_Key' },
};
const CALL_TIMEOUT_MS = 1_000;
const LEASE_MS = 30_000;
const AT_ONCE = 16;
const CLAIMED = 500;
const PASSES = 3;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface BookedAttempt {
  readonly provider: Way;
  /** In our database. */
  readonly state: string;
  /** Calls that pay, as the provider counted them. */
  readonly submits: number;
  /** Receipts by its book, also of what came back. */
  readonly payments: number;
}

export interface Outcome {
  readonly id: number;
  readonly state: string;
  /** Oldest first. */
  readonly attempts: readonly BookedAttempt[];
}

interface World {
  readonly clock: ManualClock;
  readonly lines: Readonly<Record<Way, ProviderLine>>;
  readonly pawapay: PawapayControl;
  readonly paystack: PaystackControl;
  readonly live: Parts;
  readonly sandbox: Parts;
  readonly callbacks: HeldCallbacks;
  readonly stop: () => Promise<void>;
}

type Said = Readonly<Record<string, unknown>>;

/**
 * Payments of a live deployment with the real adapters of pawaPay and Paystack, by a providers file, against their
 * simulators. One clock is moved. Only polls tell how payouts end, unless they are let call back.
 */
export class TwoProviders {
  private readonly partner = nextPartner();

  private constructor(
    private readonly pg: PaymentsDatabase,
    private readonly world: World,
    /** What people are told of: alarms by their code, and notes by their words. */
    private readonly said: readonly Said[],
  ) {}

  /** On a database of its own: what is left open is nobody else's. */
  static async start(...ways: Way[]): Promise<TwoProviders> {
    const pg = await startPaymentsDatabase();
    const said: Said[] = [];
    const world = await openWorld(pg, ways, said);
    const two = new TwoProviders(pg, world, said);
    const openings = Object.keys(PHONES).map((currency) => ({ currency, amount_minor: String(FUNDS) }));
    const opened = await world.sandbox.get(Wallets).openInSandbox({ partner_id: two.partner, openings });
    if (!opened.ok) throw new Error(opened.error.message);
    return two;
  }

  get lines(): World['lines'] {
    return this.world.lines;
  }

  get pawapay(): PawapayControl {
    return this.world.pawapay;
  }

  get paystack(): PaystackControl {
    return this.world.paystack;
  }

  get live(): Parts {
    return this.world.live;
  }

  get callbacks(): HeldCallbacks {
    return this.world.callbacks;
  }

  letThemCallBack(): void {
    const { pawapay, paystack, callbacks } = this.world;
    pawapay.setCallbackUrl(callbacks.urlOf('pawapay'));
    paystack.setWebhookUrl(callbacks.urlOf('paystack'));
  }

  /** Throws if a ledger rule is broken. */
  async stop(): Promise<void> {
    await this.world.stop();
    await this.pg.stopWhole();
  }

  /** So often it was said so far: a code of an alarm, or the words of a note. */
  told(what: string, provider?: string): number {
    return this.said.filter(
      (one) =>
        (one['code'] === what || one['message'] === what) && (provider === undefined || provider === one['provider']),
    ).length;
  }

  accept(corridor: Corridor, digits: readonly string[]): Promise<number[]> {
    return eachOf(digits, AT_ONCE, async (last) => {
      const [prefix, network] = PHONES[corridor];
      const destination: PayoutDestination = { kind: 'mobile', phone: prefix + last, mobile_network: network };
      const context: CallContext = { requestId: 'r-1', traceparent: '00-1', deadline: Number.MAX_SAFE_INTEGER };
      const accepted = await this.world.live.get(AcceptPayout).run(
        {
          operation: 'disburse',
          partner_id: this.partner,
          transaction_code: uuidv7(),
          fingerprint: 'v1:x',
          currency: corridor,
          amount_minor: String(AMOUNT),
          fee_minor: '0',
          destination,
          callback_url: null,
        },
        context,
      );
      if (!accepted.ok) throw new Error(accepted.error.message);
      return accepted.value.transaction_id;
    });
  }

  acceptHonest(corridor: Corridor, count: number): Promise<number[]> {
    return this.accept(
      corridor,
      Array.from({ length: count }, () => HONEST),
    );
  }

  /** All that is due, then time passes. Throws where anything was paid twice, or may be. */
  async round(ms: number): Promise<void> {
    const { live, clock, lines, pawapay, paystack } = this.world;
    for (let pass = 0; pass < PASSES; pass += 1) {
      const due = await live.get(TransactionStore).dueForStart(clock.now(), CLAIMED);
      await eachOf(due, AT_ONCE, (snapshot) => live.get(StartPayout).run(snapshot));
      await this.call('submit');
    }
    await handleCallbacks(live);
    await this.call('poll');
    await this.call('watch');
    await live.get(CorridorHealth).judge();
    await Promise.all(Object.values(lines).map((line) => line.taken()));
    await pawapay.moveClock(ms);
    await paystack.moveClock(0);
    this.refuseSecondPayments(await this.outcomes());
  }

  async rounds(count: number, ms: number): Promise<void> {
    for (let round = 0; round < count; round += 1) await this.round(ms);
  }

  readAvailability(): Promise<void> {
    return this.world.live.get(ReadAvailability).run();
  }

  async outcomes(ids?: readonly number[]): Promise<Outcome[]> {
    const rows = await this.pg.db.query<Row>(
      `select t.id::integer, t.state, a.provider, a.provider_reference::text as reference, a.state as attempt
         from transactions t left join attempts a on a.transaction_id = t.id
        where t.partner_id = $1 and ($2::bigint[] is null or t.id = any($2)) order by t.id, a.attempt_no`,
      [this.partner, ids ?? null],
    );
    return [...new Set(rows.map(({ id }) => id))].map((id) => {
      const own = rows.filter((row) => row.id === id);
      const attempts = own.flatMap((row) => (row.provider === null ? [] : [this.booked(row.provider, row)]));
      return { id, state: own[0]?.state ?? 'none', attempts };
    });
  }

  /** `COMPLETE by paystack`; a state alone where nobody paid. In the order of `ids`. */
  async ends(ids: readonly number[]): Promise<string[]> {
    const all = new Map((await this.outcomes(ids)).map((one) => [one.id, one]));
    return ids.map((id) => {
      const { state = 'none', attempts = [] } = all.get(id) ?? {};
      const payer = attempts.find(({ payments }) => payments > 0)?.provider;
      return payer === undefined ? state : `${state} by ${payer}`;
    });
  }

  /** What each provider has paid by its book, and what our ledger says, in minor units. */
  async sums(corridor: Corridor): Promise<{ booked: Record<Way, bigint>; posted: Record<Way, bigint> }> {
    const { pawapay, paystack } = this.world;
    const wallets = pawapay.wallets().filter(({ currency }) => currency === corridor);
    const rows = await this.pg.db.query<{ provider: Way; minor: string }>(
      `select a.provider, sum(t.amount_minor)::text as minor from attempts a join transactions t on t.id = a.transaction_id
        where t.partner_id = $1 and t.currency = $2 and a.state = 'PAID' group by 1`,
      [this.partner, corridor],
    );
    const posted = (way: Way): bigint => BigInt(rows.find(({ provider }) => provider === way)?.minor ?? 0);
    return {
      booked: {
        pawapay: wallets.reduce((sum, { paid }) => sum + BigInt(paid.replace('.', '')), 0n),
        paystack: BigInt(paystack.balances().find(({ currency }) => currency === corridor)?.paid ?? 0),
      },
      posted: { pawapay: posted('pawapay'), paystack: posted('paystack') },
    };
  }

  /** `open`: not handled yet. */
  async callbackOutcomes(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.pg.db.query<{ outcome: string; count: number }>(
      `select coalesce(outcome, 'open') as outcome, count(*)::integer as count from provider_callbacks group by 1`,
    );
    return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]));
  }

  wallet(corridor: Corridor): Promise<{ minor: string }[]> {
    return this.pg.db.query('select balance_minor::text as minor from accounts where name = $1', [
      `wallet:${this.partner}:${corridor}`,
    ]);
  }

  private async call(purpose: ClaimPurpose): Promise<void> {
    const { live, clock } = this.world;
    for (const provider of ['pawapay', 'paystack']) {
      const claimed = await live.get(AttemptClaims).claim(purpose, provider, leaseFor(LEASE_MS, clock), CLAIMED);
      await eachOf(claimed, AT_ONCE, (attempt) => live.get(CallProvider).run(purpose, attempt));
    }
  }

  private booked(provider: Way, { reference, attempt }: Row): BookedAttempt {
    const { pawapay, paystack } = this.world;
    const [control, id] = provider === 'pawapay' ? [pawapay, payoutIdOf(reference)] : [paystack, reference];
    return { provider, state: attempt, submits: control.submits(id), payments: control.payments(id).length };
  }

  private refuseSecondPayments(all: readonly Outcome[]): void {
    for (const { id, state, attempts } of all) {
      const payments = attempts.reduce((sum, one) => sum + one.payments, 0);
      const say = (what: string): Error => new Error(`${id} ${what}: ${JSON.stringify({ state, attempts })}`);
      if (payments > 1) throw say('was paid twice');
      if (state === 'FAILED' && payments > 0) throw say('is FAILED and paid');
      if (state === 'COMPLETE' && payments === 0) throw say('is COMPLETE and not paid');
      const last = attempts.findLastIndex(({ submits }) => submits > 0);
      if (attempts.slice(0, Math.max(0, last)).some((one) => one.state !== 'NOT_PAID' || one.payments > 0))
        throw say('was sent again before the earlier attempt was proven');
    }
  }
}

interface Row extends Record<string, unknown> {
  readonly id: number;
  readonly state: string;
  readonly provider: Way | null;
  readonly reference: string;
  readonly attempt: string;
}

async function openWorld(pg: PaymentsDatabase, ways: readonly Way[], said: Said[]): Promise<World> {
  const clock = new ManualClock(new Date());
  const folder = await mkdtemp(join(tmpdir(), 'two-providers-'));
  const common = { log: silent, clock, settings: { holdMs: CALL_TIMEOUT_MS + 300 } };
  const [pawapay, paystack] = await Promise.all([
    startPawapaySimulator({ ...common, folder: join(folder, 'pawapay'), token: KEYS.pawapay }),
    startPaystackSimulator({ ...common, folder: join(folder, 'paystack'), secret: KEYS.paystack }),
  ]);
  const lines = {
    pawapay: await new ProviderLine(pawapay.baseUrl, REFUSALS.pawapay).start(),
    paystack: await new ProviderLine(paystack.baseUrl, REFUSALS.paystack).start(),
  };
  const callbacks = await HeldCallbacks.open();
  const file = readProvidersFile(fileOf(ways, lines, callbacks.hostOf('pawapay')), {
    env: 'sandbox',
    allowStablecoinFundsAt: [],
  });
  if (!file.ok) throw new Error(file.error.join('\n'));
  const secrets = new Map(Object.entries(KEYS).map(([way, credential]) => [way, secretOf(credential)]));
  const connected = connectProviders(file.value.rows, secrets, { env: 'sandbox', clock, kept: new ProviderValues() });
  if (!connected.ok) throw new Error(connected.error.join('\n'));
  const { providers } = connected.value;
  const tell = (fields: Said, message: string): unknown => said.push({ ...fields, message });
  const log = { error: tell, warn: tell, info: tell, debug: tell };
  const coverage = [COVERAGE, file.value.coverage] as const;
  const settings = [SETTINGS, { ...loadSettings({}), env: 'live' }] as const;
  const tokens = [CALLBACK_TOKENS, HeldCallbacks.TOKENS] as const;
  const live = partsOn(pg.db, clock, providers, coverage, settings, [LOGGER, log], tokens);
  callbacks.leadTo(live);
  return {
    clock,
    lines,
    pawapay: pawapay.control,
    paystack: paystack.control,
    live,
    sandbox: partsOn(pg.db, clock, providers, coverage),
    callbacks,
    stop: async () => {
      await connected.value.close();
      await Promise.all(Object.values(lines).map((line) => line.stop()));
      await Promise.all([pawapay.stop(), paystack.stop()]);
      await callbacks.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Malawi has pawaPay alone. */
function fileOf(ways: readonly Way[], lines: World['lines'], callbackHost: string): object {
  const row = (id: Way, countries: readonly string[], own: object = {}): object => ({
    id,
    base_url: lines[id].baseUrl,
    secret: id,
    countries,
    accepts_stablecoin_funds: 'consent',
    call_timeout_ms: CALL_TIMEOUT_MS,
    ...own,
  });
  const route = (currency: Corridor, providers: readonly Way[]): object => ({
    currency,
    kind: 'mobile',
    network: PHONES[currency][1],
    providers,
  });
  return {
    providers: [row('pawapay', ['KE', 'GH', 'MW'], { callback_host: callbackHost }), row('paystack', ['KE', 'GH'])],
    routes: [route('GHS', ways), route('KES', ways), route('MWK', ['pawapay'])],
  };
}

function secretOf(credential: string): { credential: string; callbackTokens: string[]; signingSecrets: string[] } {
  return { credential, callbackTokens: [], signingSecrets: [] };
}
