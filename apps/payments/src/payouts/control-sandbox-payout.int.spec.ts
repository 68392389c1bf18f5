import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer, SandboxPayoutControl } from '@vuka/payouts';
import { WakeSignal } from '@vuka/runtime';
import { SANDBOX_CONTROLS, SETTINGS } from '@vuka/service-host';

import { PayoutWake } from '../due-work/payout-wake.js';
import { AttemptStore } from '../transactions/attempt.store.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { AMOUNT, Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { ControlSandboxPayout, type ControlSandboxPayoutInput } from './control-sandbox-payout.js';

const NO_FLOAT: ProviderAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };
const SUBMITTED: ProviderAnswer = { outcome: 'submitted' };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1234567890',
};
const REVERSED: ProviderAnswer = { outcome: 'reversed', receipt: 'R1', detail: 'REVERSED' };
const REFUSED: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: 'REJECTED' };
const OTHER_ROUTE: ProviderAnswer = {
  outcome: 'not_paid',
  code: 'rail_unavailable',
  routeLeft: true,
  detail: 'CHANNEL',
};

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stop());

type Does = (what: 'release' | 'pay' | 'reverse' | 'topUp') => boolean;
const HOLDS: Does = (what) => what !== 'topUp';
const NEEDS_FLOAT: Does = (what) => what === 'topUp';
const NOTHING: Does = () => false;

class ScriptedControl implements SandboxPayoutControl {
  readonly told: string[] = [];
  readonly toppedUp: object[] = [];
  constructor(
    private readonly does: Does = HOLDS,
    private readonly name = '',
  ) {}
  release = (attemptId: string): Promise<boolean> => this.note('release', attemptId);
  pay = (attemptId: string): Promise<boolean> => this.note('pay', attemptId);
  reverse = (attemptId: string): Promise<boolean> => this.note('reverse', attemptId);
  topUp = (order: object): Promise<boolean> => {
    this.toppedUp.push(order);
    return Promise.resolve(this.does('topUp'));
  };
  private async note(what: 'release' | 'pay' | 'reverse', attemptId: string): Promise<boolean> {
    this.told.push(`${this.name}${what} ${attemptId}`);
    return this.does(what);
  }
}

interface Fixture {
  readonly harness: Harness;
  readonly wake: { readonly starts: WakeSignal; readonly polls: WakeSignal };
  /** Attempt numbers to poll. */
  readonly checks: number[];
  /** In ms. */
  readonly waited: () => number;
  run(
    action: ControlSandboxPayoutInput['action'],
    more?: Partial<ControlSandboxPayoutInput>,
  ): ReturnType<ControlSandboxPayout['run']>;
}

interface Setting {
  readonly providers: readonly ScriptedProvider[];
  readonly controls: ReadonlyMap<string, SandboxPayoutControl> | undefined;
  /** Called with the number of each wait. */
  readonly meanwhile?: (harness: Harness, wait: number) => Promise<unknown>;
}

async function setUp({ providers: [first, ...others], controls, meanwhile }: Setting): Promise<Fixture> {
  const harness = await new Harness(pg, first, ...others).accepted();
  const wake = { starts: new WakeSignal(), polls: new WakeSignal() };
  const checks: number[] = [];
  const waits: number[] = [];
  const attempts = {
    historyOf: (id: number) => harness.attempts.historyOf(id),
    checkAtOnce: (id: number, attemptNo: number, now: Date) => {
      checks.push(attemptNo);
      return harness.attempts.checkAtOnce(id, attemptNo, now);
    },
  };
  const pause = async (ms: number): Promise<void> => {
    waits.push(ms);
    harness.clock.advance(ms);
    await meanwhile?.(harness, waits.length);
  };
  const use = harness
    .partsWith(
      [SETTINGS, { env: controls ? 'sandbox' : 'live' }],
      [SANDBOX_CONTROLS, controls ?? new Map()],
      [AttemptStore, attempts],
      [PayoutWake, wake],
    )
    .get(ControlSandboxPayout);
  use.pause = pause;
  return {
    harness,
    wake,
    checks,
    waited: () => waits.reduce((sum, ms) => sum + ms, 0),
    run: (action, more = {}) =>
      use.run({ partner_id: harness.partner, transaction_code: harness.code, action, ...more }),
  };
}

function fixtureOf(control: SandboxPayoutControl | undefined, ...script: ProviderAnswer[]): Promise<Fixture> {
  return setUp({ providers: [new ScriptedProvider(script)], controls: control && new Map([['sandbox', control]]) });
}

describe('the sandbox control', () => {
  it('releases the newest attempt at its own provider, and looks at once at what became of it', async () => {
    const control = new ScriptedControl();
    const { harness, run, waited } = await fixtureOf(control, SUBMITTED, PAID);
    await (await harness.start()).call('submit');
    expect(await harness.call('poll')).toBe(0);
    expect(await run('release')).toEqual({
      ok: true,
      value: { transaction_code: harness.code, status: 'PROCESSING', done: true },
    });
    expect(control.told).toEqual([`release ${harness.provider?.submitted[0] ?? ''}`]);
    expect(await harness.call('poll')).toBe(1);
    expect([await harness.state(), waited()]).toEqual(['COMPLETE', 0]);
  });

  it('reverses what was paid, and the look finds it', async () => {
    const { harness, run } = await fixtureOf(new ScriptedControl(), PAID, REVERSED);
    await (await harness.start()).call('submit');
    expect(await harness.state()).toBe('COMPLETE');
    expect(await run('reverse')).toMatchObject({ value: { status: 'COMPLETE', done: true } });
    await harness.call('poll');
    await harness.call('watch');
    expect(await harness.state()).toBe('REVERSED');
  });

  it.each(['reverse', 'pay'] as const)(
    'tells %s to the attempt that has paid, not to a newer one that has not',
    async (action) => {
      const controls = new Map(
        ['sandbox', 'sandbox_b'].map((id) => [id, new ScriptedControl(HOLDS, `${id} `)] as const),
      );
      const notFound: ProviderAnswer = { outcome: 'unknown', detail: '', notFound: true };
      const providers = [
        new ScriptedProvider([OTHER_ROUTE, PAID]),
        new ScriptedProvider([NO_FLOAT, notFound], false, 'sandbox_b'),
      ] as const;
      const { harness, run, checks } = await setUp({ providers, controls });
      await (await harness.start()).call('submit');
      await (await harness.start()).call('submit');
      // The first pays after all; the second has no float.
      harness.clock.advance(2_000);
      expect(await harness.call('watch')).toBe(2);
      await harness.start();
      expect([await harness.state(), providers[1].submitted.length]).toEqual(['COMPLETE', 1]);
      expect(await run(action)).toMatchObject({ value: { done: true } });
      expect([...controls.values()].flatMap(({ told }) => told)).toEqual([
        `sandbox ${action} ${providers[0].submitted[0] ?? ''}`,
      ]);
      expect(checks).toEqual([1]);
    },
  );
});

describe('the float', () => {
  it.each(['top_up', 'release'] as const)(
    'is given by %s to what waits for it, which is started at once',
    async (action) => {
      const control = new ScriptedControl(NEEDS_FLOAT);
      const { harness, wake, run, checks } = await fixtureOf(control, NO_FLOAT, PAID);
      await (await harness.start()).call('submit');
      expect(await harness.state()).toBe('QUEUED');
      const woken = wake.starts.wait(60_000);
      expect(await run(action)).toMatchObject({ value: { status: 'PROCESSING', done: true } });
      await woken;
      expect(control.toppedUp).toEqual([
        {
          orderId: String(harness.id),
          amount: money(AMOUNT, 'KES'),
          destination: { kind: 'bank', account_number: '1234567890', bank_code: '01', bank_name: 'KCB Bank Kenya' },
        },
      ]);
      expect([control.told, checks]).toEqual([[], []]);
      await (await harness.start()).call('submit');
      expect(await harness.state()).toBe('COMPLETE');
    },
  );

  it.each(['top_up', 'release'] as const)(
    'is given by %s before the payout is sent, too, and while it is',
    async (action) => {
      const control = new ScriptedControl(NEEDS_FLOAT);
      const { harness, run, waited } = await fixtureOf(control);
      expect(await run(action)).toMatchObject({ value: { status: 'PENDING', done: true } });
      await harness.start();
      expect(await harness.state()).toBe('SUBMITTING');
      expect(await run(action)).toMatchObject({ value: { status: 'PROCESSING', done: true } });
      expect([control.told, control.toppedUp.length, waited()]).toEqual([[], 2, 0]);
    },
  );

  it.each([
    ['COMPLETE', PAID],
    ['FAILED', REFUSED],
  ] as const)('is never given to what is %s', async (state, answer) => {
    const control = new ScriptedControl(NEEDS_FLOAT);
    const { harness, run, checks, waited } = await fixtureOf(control, answer);
    await (await harness.start()).call('submit');
    expect(await harness.state()).toBe(state);
    for (const action of ['top_up', 'release'] as const)
      expect(await run(action)).toMatchObject({ value: { status: state, done: false } });
    expect([control.toppedUp, checks, waited()]).toEqual([[], [], 0]);
  });

  it('is nothing to give: then the waiting is left alone', async () => {
    const { harness, run, checks, waited } = await fixtureOf(new ScriptedControl(NOTHING), NO_FLOAT);
    await (await harness.start()).call('submit');
    expect(await run('top_up')).toMatchObject({ value: { done: false } });
    const due = await harness.store.dueForStart(harness.clock.now(), 1_000);
    expect(due.filter(({ details }) => details.id === harness.id)).toEqual([]);
    expect([checks, waited()]).toEqual([[], 0]);
  });
});

describe('what comes before the provider has the payout', () => {
  it.each(['release', 'pay'] as const)('waits for that: %s', async (action) => {
    const control = new ScriptedControl();
    const { harness, run, waited } = await setUp({
      providers: [new ScriptedProvider([SUBMITTED])],
      controls: new Map([['sandbox', control]]),
      meanwhile: async (under, wait) => {
        if (wait === 2) await under.start();
        if (wait === 4) await under.call('submit');
      },
    });
    expect(await run(action)).toMatchObject({ value: { status: 'PROCESSING', done: true } });
    expect([control.told, waited()]).toEqual([[`${action} ${harness.provider?.submitted[0] ?? ''}`], 200]);
  });

  it.each(['release', 'pay'] as const)('is not waited for without end: %s', async (action) => {
    const control = new ScriptedControl();
    const { run, checks, waited } = await fixtureOf(control);
    expect(await run(action)).toMatchObject({ value: { status: 'PENDING', done: false } });
    expect([control.told, checks, waited()]).toEqual([[], [], 1_500]);
  });

  it('is asked again while the call is out that the provider may not have had yet', async () => {
    let calls = 0;
    const control = new ScriptedControl((what) => what === 'release' && ++calls === 3);
    const { harness, run, checks } = await fixtureOf(control);
    await harness.start();
    await harness.claim('submit');
    expect(await run('release')).toMatchObject({ value: { done: true } });
    expect([control.told.length, checks]).toEqual([3, [1]]);
  });

  it('is no reason for reverse to wait', async () => {
    const { run, waited } = await fixtureOf(new ScriptedControl());
    expect(await run('reverse')).toMatchObject({ value: { status: 'PENDING', done: false } });
    expect(waited()).toBe(0);
  });
});

describe('the look', () => {
  it.each(['release', 'pay', 'reverse'] as const)(
    'is not taken where the provider had nothing to do: %s',
    async (action) => {
      const { harness, run, checks, waited } = await fixtureOf(new ScriptedControl(NOTHING), SUBMITTED);
      await (await harness.start()).call('submit');
      expect(await run(action)).toMatchObject({ value: { status: 'PROCESSING', done: false } });
      expect([checks, waited()]).toEqual([[], 0]);
      expect(await harness.call('poll')).toBe(0);
    },
  );

  it('is taken where the provider did not answer: it may have done it', async () => {
    const { harness, run, checks } = await fixtureOf(
      new ScriptedControl((what) => {
        if (what === 'topUp') return false;
        throw new Error('no answer');
      }),
      SUBMITTED,
      PAID,
    );
    await (await harness.start()).call('submit');
    await expect(run('pay')).rejects.toThrow('no answer');
    expect(checks).toEqual([1]);
    expect(await harness.call('poll')).toBe(1);
    expect(await harness.state()).toBe('COMPLETE');
  });
});

describe('whose payout it is', () => {
  it('knows only the partner’s own transactions, and none outside the sandbox', async () => {
    const control = new ScriptedControl();
    const { harness, run } = await fixtureOf(control, SUBMITTED);
    await (await harness.start()).call('submit');
    expect(await run('release', { partner_id: harness.partner + 1_000 })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(await run('release', { transaction_code: 'none' })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(control.told).toEqual([]);
    const live = await fixtureOf(undefined);
    expect(await live.run('release')).toMatchObject({ ok: false, error: { code: 'not_found' } });
  });
});
