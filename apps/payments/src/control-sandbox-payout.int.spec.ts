import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PayoutInstruction, RailAnswer, SandboxPayoutControl } from '@vuka/payouts';
import { Cipher, WakeSignal } from '@vuka/platform';

import { ControlSandboxPayout, type ControlSandboxPayoutInput } from './control-sandbox-payout.js';
import { DestinationVault } from './destination-vault.js';
import { AMOUNT, Road, ScriptedRail } from './payout-road.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './store/payments-database.spec-support.js';

const NO_FLOAT: RailAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };
const PAID: RailAnswer = { outcome: 'succeeded', receipt: 'R1', publicName: null, amountMinor: AMOUNT, recipient: '1234567890' };
const REVERSED: RailAnswer = { outcome: 'reversed', receipt: 'R1', detail: 'REVERSED' };

let pg: PaymentsDatabase;

beforeAll(async () => { pg = await startPaymentsDatabase(); }, 60_000);
afterAll(() => pg.stop());

/** A rail's control that remembers what it was told, and answers what the test says. */
class ScriptedControl implements SandboxPayoutControl {
  readonly told: string[] = [];
  readonly toppedUp: PayoutInstruction[] = [];
  constructor(private readonly does = true) {}
  release = (attemptId: string): Promise<boolean> => this.note('release', attemptId);
  pay = (attemptId: string): Promise<boolean> => this.note('pay', attemptId);
  reverse = (attemptId: string): Promise<boolean> => this.note('reverse', attemptId);
  topUp = (instruction: PayoutInstruction): Promise<boolean> => {
    this.toppedUp.push(instruction);
    return Promise.resolve(this.does);
  };
  private note(what: string, attemptId: string): Promise<boolean> {
    this.told.push(`${what} ${attemptId}`);
    return Promise.resolve(this.does);
  }
}

interface Scene {
  readonly road: Road;
  readonly wake: { readonly starts: WakeSignal; readonly polls: WakeSignal };
  run(action: ControlSandboxPayoutInput['action'], more?: Partial<ControlSandboxPayoutInput>): ReturnType<ControlSandboxPayout['run']>;
}

async function sceneOf(control: SandboxPayoutControl | undefined, ...script: RailAnswer[]): Promise<Scene> {
  const road = await new Road(pg, new ScriptedRail(script)).accepted();
  const wake = { starts: new WakeSignal(), polls: new WakeSignal() };
  const use = new ControlSandboxPayout(
    { transactions: road.store, attempts: road.attempts },
    new DestinationVault(new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }])),
    { providers: road.rails, controls: control && new Map([['sandbox', control]]) },
    road.clock,
    wake,
  );
  return { road, wake, run: (action, more = {}) => use.run({ partner_id: road.partner, transaction_code: road.code, action, ...more }) };
}

describe('the sandbox control', () => {
  it('releases the newest attempt at its own rail, and looks at once at what became of it', async () => {
    const control = new ScriptedControl();
    const { road, run } = await sceneOf(control, { outcome: 'submitted' }, PAID);
    await (await road.start()).call('submit');
    expect(await road.call('poll')).toBe(0);
    expect(await run('release')).toEqual({ ok: true, value: { transaction_code: road.code, status: 'PROCESSING', done: true } });
    expect(control.told).toEqual([`release ${road.rail?.submitted[0] ?? ''}`]);
    expect(await road.call('poll')).toBe(1);
    expect(await road.state()).toBe('COMPLETE');
  });

  it('reverses what was paid, and the look finds it', async () => {
    const control = new ScriptedControl();
    const { road, run } = await sceneOf(control, PAID, REVERSED);
    await (await road.start()).call('submit');
    expect(await road.state()).toBe('COMPLETE');
    expect(await run('reverse')).toMatchObject({ value: { status: 'COMPLETE', done: true } });
    await road.call('poll');
    await road.call('watch');
    expect(await road.state()).toBe('REVERSED');
  });

  it.each(['top_up', 'release'] as const)('gives float by %s to what waits for it, and has it started at once', async (action) => {
    const control = new ScriptedControl();
    const { road, wake, run } = await sceneOf(control, NO_FLOAT, PAID);
    await (await road.start()).call('submit');
    expect(await road.state()).toBe('QUEUED');
    const woken = wake.starts.wait(60_000);
    expect(await run(action)).toMatchObject({ value: { status: 'PROCESSING', done: true } });
    await woken;
    expect(control.toppedUp).toMatchObject([{
      amountMinor: AMOUNT, currency: 'KES', destination: { kind: 'bank', account_number: '1234567890', bank_code: '01', bank_name: 'KCB Bank Kenya' },
    }]);
    await (await road.start()).call('submit');
    expect(await road.state()).toBe('COMPLETE');
  });

  it('tops up before the payout is sent, too, and has no attempt to release yet', async () => {
    const control = new ScriptedControl();
    const { run } = await sceneOf(control);
    expect(await run('release')).toMatchObject({ value: { status: 'PENDING', done: false } });
    expect(await run('pay')).toMatchObject({ value: { status: 'PENDING', done: false } });
    expect(await run('top_up')).toMatchObject({ value: { status: 'PENDING', done: true } });
    expect([control.told, control.toppedUp.length]).toEqual([[], 1]);
  });

  it('says so where the rail had nothing to do, and leaves the waiting alone', async () => {
    const { road, run } = await sceneOf(new ScriptedControl(false), NO_FLOAT);
    await (await road.start()).call('submit');
    expect(await run('top_up')).toMatchObject({ value: { done: false } });
    const due = await road.store.dueForStart(road.clock.now(), 1_000);
    expect(due.filter(({ terms }) => terms.id === road.id)).toEqual([]);
  });

  it('knows only the partner’s own transactions, and none outside the sandbox', async () => {
    const control = new ScriptedControl();
    const { road, run } = await sceneOf(control, { outcome: 'submitted' });
    await (await road.start()).call('submit');
    expect(await run('release', { partner_id: road.partner + 1_000 })).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await run('release', { transaction_code: 'none' })).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(control.told).toEqual([]);
    const live = await sceneOf(undefined);
    expect(await live.run('release')).toMatchObject({ ok: false, error: { code: 'not_found' } });
  });
});
