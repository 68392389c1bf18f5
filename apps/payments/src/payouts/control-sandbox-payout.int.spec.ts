import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { RailAnswer, SandboxPayoutControl } from '@vuka/payouts';
import { WakeSignal } from '@vuka/runtime';
import { SANDBOX_CONTROLS, SETTINGS } from '@vuka/service-host';

import { PayoutWake } from '../due-work/payout-wake.js';
import { AttemptStore } from '../transactions/attempt.store.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { AMOUNT, Road, ScriptedRail } from '../testing/payout-road.spec-support.js';
import { ControlSandboxPayout, type ControlSandboxPayoutInput } from './control-sandbox-payout.js';

const NO_FLOAT: RailAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };
const SUBMITTED: RailAnswer = { outcome: 'submitted' };
const PAID: RailAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1234567890',
};
const REVERSED: RailAnswer = { outcome: 'reversed', receipt: 'R1', detail: 'REVERSED' };
const REFUSED: RailAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: 'REJECTED' };
const OTHER_ROUTE: RailAnswer = { outcome: 'not_paid', code: 'rail_unavailable', routeLeft: true, detail: 'CHANNEL' };

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stop());

type Does = (what: 'release' | 'pay' | 'reverse' | 'topUp') => boolean;
const HOLDS: Does = (what) => what !== 'topUp';
const NEEDS_FLOAT: Does = (what) => what === 'topUp';
const NOTHING: Does = () => false;

/** A rail's control that remembers what it was told, and does what the test says. */
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

interface Scene {
  readonly road: Road;
  readonly wake: { readonly starts: WakeSignal; readonly polls: WakeSignal };
  /** Numbers of the attempts that are to be looked at. */
  readonly looks: number[];
  /** How long it has waited, in ms. */
  readonly waited: () => number;
  run(
    action: ControlSandboxPayoutInput['action'],
    more?: Partial<ControlSandboxPayoutInput>,
  ): ReturnType<ControlSandboxPayout['run']>;
}

interface Setting {
  readonly rails: readonly ScriptedRail[];
  readonly controls: ReadonlyMap<string, SandboxPayoutControl> | undefined;
  /** What goes on while it waits: called with the number of the wait. */
  readonly meanwhile?: (road: Road, wait: number) => Promise<unknown>;
}

async function setUp({ rails: [first, ...others], controls, meanwhile }: Setting): Promise<Scene> {
  const road = await new Road(pg, first, ...others).accepted();
  const wake = { starts: new WakeSignal(), polls: new WakeSignal() };
  const looks: number[] = [];
  const waits: number[] = [];
  const attempts = {
    historyOf: (id: number) => road.attempts.historyOf(id),
    lookAtOnce: (id: number, attemptNo: number, now: Date) => {
      looks.push(attemptNo);
      return road.attempts.lookAtOnce(id, attemptNo, now);
    },
  };
  const pause = async (ms: number): Promise<void> => {
    waits.push(ms);
    road.clock.advance(ms);
    await meanwhile?.(road, waits.length);
  };
  const use = road
    .partsWith(
      [SETTINGS, { env: controls ? 'sandbox' : 'live' }],
      [SANDBOX_CONTROLS, controls ?? new Map()],
      [AttemptStore, attempts],
      [PayoutWake, wake],
    )
    .get(ControlSandboxPayout);
  use.pause = pause;
  return {
    road,
    wake,
    looks,
    waited: () => waits.reduce((sum, ms) => sum + ms, 0),
    run: (action, more = {}) => use.run({ partner_id: road.partner, transaction_code: road.code, action, ...more }),
  };
}

function sceneOf(control: SandboxPayoutControl | undefined, ...script: RailAnswer[]): Promise<Scene> {
  return setUp({ rails: [new ScriptedRail(script)], controls: control && new Map([['sandbox', control]]) });
}

describe('the sandbox control', () => {
  it('releases the newest attempt at its own rail, and looks at once at what became of it', async () => {
    const control = new ScriptedControl();
    const { road, run, waited } = await sceneOf(control, SUBMITTED, PAID);
    await (await road.start()).call('submit');
    expect(await road.call('poll')).toBe(0);
    expect(await run('release')).toEqual({
      ok: true,
      value: { transaction_code: road.code, status: 'PROCESSING', done: true },
    });
    expect(control.told).toEqual([`release ${road.rail?.submitted[0] ?? ''}`]);
    expect(await road.call('poll')).toBe(1);
    expect([await road.state(), waited()]).toEqual(['COMPLETE', 0]);
  });

  it('reverses what was paid, and the look finds it', async () => {
    const { road, run } = await sceneOf(new ScriptedControl(), PAID, REVERSED);
    await (await road.start()).call('submit');
    expect(await road.state()).toBe('COMPLETE');
    expect(await run('reverse')).toMatchObject({ value: { status: 'COMPLETE', done: true } });
    await road.call('poll');
    await road.call('watch');
    expect(await road.state()).toBe('REVERSED');
  });

  it.each(['reverse', 'pay'] as const)(
    'tells %s to the attempt that has paid, not to a newer one that has not',
    async (action) => {
      const controls = new Map(
        ['sandbox', 'sandbox_b'].map((id) => [id, new ScriptedControl(HOLDS, `${id} `)] as const),
      );
      const notFound: RailAnswer = { outcome: 'unknown', detail: '', notFound: true };
      const rails = [
        new ScriptedRail([OTHER_ROUTE, PAID]),
        new ScriptedRail([NO_FLOAT, notFound], false, 'sandbox_b'),
      ] as const;
      const { road, run, looks } = await setUp({ rails, controls });
      await (await road.start()).call('submit');
      await (await road.start()).call('submit');
      // The first rail pays after all, and the second one has no float.
      road.clock.advance(2_000);
      expect(await road.call('watch')).toBe(2);
      await road.start();
      expect([await road.state(), rails[1].submitted.length]).toEqual(['COMPLETE', 1]);
      expect(await run(action)).toMatchObject({ value: { done: true } });
      expect([...controls.values()].flatMap(({ told }) => told)).toEqual([
        `sandbox ${action} ${rails[0].submitted[0] ?? ''}`,
      ]);
      expect(looks).toEqual([1]);
    },
  );
});

describe('the float', () => {
  it.each(['top_up', 'release'] as const)(
    'is given by %s to what waits for it, which is started at once',
    async (action) => {
      const control = new ScriptedControl(NEEDS_FLOAT);
      const { road, wake, run, looks } = await sceneOf(control, NO_FLOAT, PAID);
      await (await road.start()).call('submit');
      expect(await road.state()).toBe('QUEUED');
      const woken = wake.starts.wait(60_000);
      expect(await run(action)).toMatchObject({ value: { status: 'PROCESSING', done: true } });
      await woken;
      expect(control.toppedUp).toEqual([
        {
          orderId: String(road.id),
          amount: money(AMOUNT, 'KES'),
          destination: { kind: 'bank', account_number: '1234567890', bank_code: '01', bank_name: 'KCB Bank Kenya' },
        },
      ]);
      expect([control.told, looks]).toEqual([[], []]);
      await (await road.start()).call('submit');
      expect(await road.state()).toBe('COMPLETE');
    },
  );

  it.each(['top_up', 'release'] as const)(
    'is given by %s before the payout is sent, too, and while it is',
    async (action) => {
      const control = new ScriptedControl(NEEDS_FLOAT);
      const { road, run, waited } = await sceneOf(control);
      expect(await run(action)).toMatchObject({ value: { status: 'PENDING', done: true } });
      await road.start();
      expect(await road.state()).toBe('SUBMITTING');
      expect(await run(action)).toMatchObject({ value: { status: 'PROCESSING', done: true } });
      expect([control.told, control.toppedUp.length, waited()]).toEqual([[], 2, 0]);
    },
  );

  it.each([
    ['COMPLETE', PAID],
    ['FAILED', REFUSED],
  ] as const)('is never given to what is %s', async (state, answer) => {
    const control = new ScriptedControl(NEEDS_FLOAT);
    const { road, run, looks, waited } = await sceneOf(control, answer);
    await (await road.start()).call('submit');
    expect(await road.state()).toBe(state);
    for (const action of ['top_up', 'release'] as const)
      expect(await run(action)).toMatchObject({ value: { status: state, done: false } });
    expect([control.toppedUp, looks, waited()]).toEqual([[], [], 0]);
  });

  it('is nothing to give: then the waiting is left alone', async () => {
    const { road, run, looks, waited } = await sceneOf(new ScriptedControl(NOTHING), NO_FLOAT);
    await (await road.start()).call('submit');
    expect(await run('top_up')).toMatchObject({ value: { done: false } });
    const due = await road.store.dueForStart(road.clock.now(), 1_000);
    expect(due.filter(({ details }) => details.id === road.id)).toEqual([]);
    expect([looks, waited()]).toEqual([[], 0]);
  });
});

describe('what comes before the rail has the payout', () => {
  it.each(['release', 'pay'] as const)('waits for that: %s', async (action) => {
    const control = new ScriptedControl();
    const { road, run, waited } = await setUp({
      rails: [new ScriptedRail([SUBMITTED])],
      controls: new Map([['sandbox', control]]),
      meanwhile: async (under, wait) => {
        if (wait === 2) await under.start();
        if (wait === 4) await under.call('submit');
      },
    });
    expect(await run(action)).toMatchObject({ value: { status: 'PROCESSING', done: true } });
    expect([control.told, waited()]).toEqual([[`${action} ${road.rail?.submitted[0] ?? ''}`], 200]);
  });

  it.each(['release', 'pay'] as const)('is not waited for without end: %s', async (action) => {
    const control = new ScriptedControl();
    const { run, looks, waited } = await sceneOf(control);
    expect(await run(action)).toMatchObject({ value: { status: 'PENDING', done: false } });
    expect([control.told, looks, waited()]).toEqual([[], [], 1_500]);
  });

  it('is asked again while the call is out that the rail may not have had yet', async () => {
    let calls = 0;
    const control = new ScriptedControl((what) => what === 'release' && ++calls === 3);
    const { road, run, looks } = await sceneOf(control);
    await road.start();
    await road.claim('submit');
    expect(await run('release')).toMatchObject({ value: { done: true } });
    expect([control.told.length, looks]).toEqual([3, [1]]);
  });

  it('is no reason for reverse to wait', async () => {
    const { run, waited } = await sceneOf(new ScriptedControl());
    expect(await run('reverse')).toMatchObject({ value: { status: 'PENDING', done: false } });
    expect(waited()).toBe(0);
  });
});

describe('the look', () => {
  it.each(['release', 'pay', 'reverse'] as const)(
    'is not taken where the rail had nothing to do: %s',
    async (action) => {
      const { road, run, looks, waited } = await sceneOf(new ScriptedControl(NOTHING), SUBMITTED);
      await (await road.start()).call('submit');
      expect(await run(action)).toMatchObject({ value: { status: 'PROCESSING', done: false } });
      expect([looks, waited()]).toEqual([[], 0]);
      expect(await road.call('poll')).toBe(0);
    },
  );

  it('is taken where the rail did not answer: it may have done it', async () => {
    const { road, run, looks } = await sceneOf(
      new ScriptedControl((what) => {
        if (what === 'topUp') return false;
        throw new Error('no answer');
      }),
      SUBMITTED,
      PAID,
    );
    await (await road.start()).call('submit');
    await expect(run('pay')).rejects.toThrow('no answer');
    expect(looks).toEqual([1]);
    expect(await road.call('poll')).toBe(1);
    expect(await road.state()).toBe('COMPLETE');
  });
});

describe('whose payout it is', () => {
  it('knows only the partner’s own transactions, and none outside the sandbox', async () => {
    const control = new ScriptedControl();
    const { road, run } = await sceneOf(control, SUBMITTED);
    await (await road.start()).call('submit');
    expect(await run('release', { partner_id: road.partner + 1_000 })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(await run('release', { transaction_code: 'none' })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(control.told).toEqual([]);
    const live = await sceneOf(undefined);
    expect(await live.run('release')).toMatchObject({ ok: false, error: { code: 'not_found' } });
  });
});
