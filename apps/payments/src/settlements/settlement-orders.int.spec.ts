import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';
import { drawn } from '@vuka/testing';

import { AMOUNT, LEASE_MS, Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

/**
 * Settlement by people beside a call, in every order of their steps. A model is compared with payments after each
 * step, and at the end with the provider's book.
 */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

type Step = 'claim' | 'call leaves' | 'answer' | 'process dies' | 'lease lapses' | 'propose' | 'approve' | 'execute';

/** A process may die before the call or before the answer. */
const CALLS: readonly (readonly Step[])[] = [
  ['claim', 'call leaves', 'answer'],
  ['claim', 'process dies'],
  ['claim', 'call leaves', 'process dies'],
];
const PEOPLE: readonly Step[] = ['propose', 'approve'];

/** Every merge that keeps each chain's order. */
function merges(chains: readonly (readonly Step[])[]): Step[][] {
  const left = chains.filter((chain) => chain.length > 0);
  if (left.length === 0) return [[]];
  return left.flatMap((chain) =>
    merges(left.map((other) => (other === chain ? other.slice(1) : other))).map((rest) => [chain[0] as Step, ...rest]),
  );
}

const ORDERS = CALLS.flatMap((call) => merges([call, PEOPLE, ['lease lapses'], ['execute']]));
const CASES = ORDERS.flatMap((steps) =>
  [true, false].map(
    (pays) => [`${steps.join(', ')}; the provider ${pays ? 'pays' : 'loses the call'}`, steps, pays] as const,
  ),
);

const UNKNOWN: ProviderAnswer = { outcome: 'unknown', detail: 'timeout' };
const NOT_FOUND: ProviderAnswer = { outcome: 'unknown', detail: 'the provider does not know our id', notFound: true };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Answers when the test says so. */
class GatedProvider extends ScriptedProvider {
  readonly asked = gate();
  readonly sent = gate();
  readonly answered = gate();
  payments = 0;
  atRest = false;

  constructor(private readonly pays: boolean) {
    super([]);
  }

  override async submit({ attemptId }: { attemptId: string }): Promise<ProviderAnswer> {
    this.submitted.push(attemptId);
    // The first answer is lost, which brings the payout in doubt.
    if (this.submitted.length === 1) return UNKNOWN;
    if (this.pays || this.atRest) this.payments += this.payments === 0 ? 1 : 0;
    if (this.atRest) return PAID;
    this.sent.open();
    await this.answered.opened;
    return this.pays ? PAID : UNKNOWN;
  }

  override async query(): Promise<ProviderAnswer> {
    if (!this.atRest) await this.asked.opened;
    else if (this.payments > 0) return PAID;
    return NOT_FOUND;
  }
}

interface Model {
  readonly call: 'none' | 'asking' | 'out' | 'ended';
  readonly dead: boolean;
  readonly leased: boolean;
  readonly paid: boolean;
  readonly settlement: 'none' | 'proposed' | 'agreed' | 'executed' | 'superseded';
  readonly state: 'IN_DOUBT' | 'COMPLETE' | 'FAILED';
  readonly submits: number;
}

const START: Model = {
  call: 'none',
  dead: false,
  leased: false,
  paid: false,
  settlement: 'none',
  state: 'IN_DOUBT',
  submits: 1,
};

function executed(model: Model): Model {
  if (model.settlement !== 'agreed' || model.leased) return model;
  return model.state === 'IN_DOUBT'
    ? { ...model, settlement: 'executed', state: 'FAILED' }
    : { ...model, settlement: 'superseded' };
}

function next(model: Model, step: Step, pays: boolean): Model {
  const { call, dead, leased, settlement, state } = model;
  switch (step) {
    case 'claim':
      return settlement === 'agreed' || state !== 'IN_DOUBT' ? model : { ...model, call: 'asking', leased: true };
    case 'call leaves':
      if (call !== 'asking') return model;
      // Too late for its lease, or approved meanwhile.
      if (!leased || settlement === 'agreed') return { ...model, call: 'ended', leased: false };
      return { ...model, call: 'out', submits: model.submits + 1, paid: pays };
    case 'answer':
      if (call !== 'out' || dead) return model;
      return { ...model, call: 'ended', leased: false, state: model.paid && state === 'IN_DOUBT' ? 'COMPLETE' : state };
    case 'process dies':
      return { ...model, dead: true };
    case 'lease lapses':
      return { ...model, leased: false };
    case 'propose':
      return state === 'IN_DOUBT' ? { ...model, settlement: 'proposed' } : model;
    case 'approve':
      return settlement === 'proposed' && state === 'IN_DOUBT' ? executed({ ...model, settlement: 'agreed' }) : model;
    case 'execute':
      return executed(model);
  }
}

class Scenario {
  private calling: Promise<void> = Promise.resolve();
  private isDead = false;
  private settlementId = 0;

  private constructor(
    readonly trip: Harness,
    readonly provider: GatedProvider,
  ) {}

  static async inDoubt(pays: boolean): Promise<Scenario> {
    const provider = new GatedProvider(pays);
    const trip = await (await new Harness(pg, provider).accepted()).start();
    await trip.call('submit');
    trip.clock.advance(1_000);
    return new Scenario(trip, provider);
  }

  async take(step: Step): Promise<void> {
    const { trip, provider } = this;
    switch (step) {
      case 'claim': {
        const [claimed] = await trip.claim('poll');
        if (claimed) this.calling = trip.caller.run('poll', claimed);
        return;
      }
      case 'call leaves':
        provider.asked.open();
        return void (await Promise.race([provider.sent.opened, this.calling]));
      case 'answer':
        provider.answered.open();
        return this.calling;
      case 'process dies':
        this.isDead = true;
        return;
      case 'lease lapses':
        return trip.clock.advance(LEASE_MS);
      case 'propose': {
        const result = await trip.settle.propose({
          transactionId: trip.id,
          outcome: 'not_paid',
          receipt: null,
          paid: null,
          evidence: 'x',
          by: 'Ann',
        });
        this.settlementId = result.ok ? result.value.settlementId : 0;
        return;
      }
      case 'approve':
        return void (await trip.settle.approve({ settlementId: this.settlementId, by: 'Ben' }));
      case 'execute':
        return void (await trip.executor.runDue());
    }
  }

  async found(): Promise<Pick<Model, 'settlement' | 'state' | 'submits' | 'paid'>> {
    const kept = await this.trip.settlements.byId(this.settlementId);
    const settlement =
      kept === undefined
        ? 'none'
        : kept.isExecuted
          ? 'executed'
          : kept.supersededWhy !== null
            ? 'superseded'
            : kept.agreed
              ? 'agreed'
              : 'proposed';
    return {
      settlement,
      state: (await this.trip.state()) as Model['state'],
      submits: this.provider.submitted.length,
      paid: this.provider.payments > 0,
    };
  }

  /** The rest is done, and the provider reports everything. */
  async comeToRest(): Promise<void> {
    const { trip, provider } = this;
    provider.atRest = true;
    for (let round = 0; round < 4; round++) {
      trip.clock.advance(LEASE_MS + 60_000);
      await trip.executor.runDue();
      await trip.call('poll');
      await trip.call('watch');
    }
    if (!this.isDead) provider.answered.open();
  }
}

describe('a settlement and a call under way, in every order', () => {
  it('are all here', () => {
    expect([ORDERS.length, new Set(CASES.map(([name]) => name)).size]).toEqual([420 + 180 + 420, 2_040]);
  });

  it.each(drawn('settlement orders', CASES, 45))('%s', async (_, steps, pays) => {
    const scenario = await Scenario.inDoubt(pays);
    let model = START;
    for (const step of steps) {
      model = next(model, step, pays);
      await scenario.take(step);
      const { settlement, state, submits, paid } = model;
      expect([step, await scenario.found()]).toEqual([step, { settlement, state, submits, paid }]);
    }
    const { trip, provider } = scenario;
    await scenario.comeToRest();
    const postings = await trip.posted();
    // Given back or paid, never both; an unseen payment is owed.
    expect(postings.filter((name) => name === 'payout_settled' || name === 'payout_released')).toHaveLength(1);
    expect([provider.payments <= 1, postings.includes('duplicate_payment'), await trip.debt()]).toEqual(
      postings.includes('payout_released')
        ? [true, provider.payments === 1, provider.payments === 1 ? AMOUNT : 0n]
        : [true, false, 0n],
    );
    if (postings.includes('payout_released')) expect(provider.submitted).toHaveLength(model.submits);
  });
});
