import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  atDepth,
  ledgerCheck,
  lostAccepts,
  openFixture,
  PartnerLoad,
  FIXTURE_WITHIN_MS,
  sendOpenOnesAgain,
  until,
  type OutsideChecker,
  type Fixture,
  type VukaProcess,
  type WebhookReceiver,
} from '@vuka/testing';

let vuka: VukaProcess;
let clients: Fixture['clients'];
let receiver: WebhookReceiver;
let checker: OutsideChecker;
let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture({ asksOnce: true });
  ({ vuka, clients, receiver, checker } = fixture);
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

/** Enough that at the crash there are transfers at every step. */
const FINAL_WEBHOOKS_FIRST = atDepth({ commit: 20, whole: 60 });
const WORKERS = atDepth({ commit: 2, whole: 6 });

const finals = (): number =>
  receiver.received.filter(({ payload }) => payload.status === 'COMPLETE' || payload.status === 'FAILED').length;

async function loadUntilCrash(name: string, crash: () => Promise<void>): Promise<void> {
  const before = finals();
  const load = new PartnerLoad({ name, clients, receiver, workers: WORKERS });
  await until(() => finals() >= before + FINAL_WEBHOOKS_FIRST, {
    withinMs: 60_000,
    what: 'the road is full',
    everyMs: 5,
  });
  await crash();
  await load.stop();
}

describe('kill -9 under load', () => {
  it.each([
    ['of everything, as a power cut does', 'cut', true],
    ['of the process alone, whose PostgreSQL is left an orphan', 'orphan', false],
    ['again, before it has finished what the last one left', 'again', true],
  ])(
    '%s: after the restart every 200 is there',
    async (_, name, postgres) => {
      await loadUntilCrash(name, () => vuka.kill9({ postgres }));
      const orphan = vuka.postgresPid();
      expect(orphan === null).toBe(postgres);
      await vuka.restart();
      expect(vuka.postgresPid()).not.toBe(orphan);
      expect(await lostAccepts(clients)).toEqual([]);
      await sendOpenOnesAgain(clients);
    },
    240_000,
  );

  it('of PostgreSQL only: no false answer, and everything continues within seconds', async () => {
    const accepted = (): number =>
      clients.flatMap((client) => client.sent.filter(({ outcome }) => outcome === 'accepted')).length;
    await loadUntilCrash('database', async () => {
      await vuka.kill9Postgres();
      const before = accepted();
      await until(() => accepted() > before, { withinMs: 60_000, what: 'transfers are accepted again', everyMs: 20 });
    });
    await until(async () => (await fetch(`${vuka.baseUrl}/health/ready`)).status === 200, {
      withinMs: 60_000,
      what: 'it says that it is ready',
      everyMs: 50,
    });
    expect(await lostAccepts(clients)).toEqual([]);
    await sendOpenOnesAgain(clients);
  }, 240_000);

  it('in the end each payout is paid once, with webhooks and the right costs; the ledger is sound', async () => {
    const { transactions, paid } = await checker.expectSound();
    expect(transactions).toBeGreaterThan(4 * FINAL_WEBHOOKS_FIRST);
    expect(paid).toBeGreaterThan(0);
    expect(await ledgerCheck(vuka)).toEqual({ code: 0, output: expect.stringMatching(/The ledger is sound\./) });
  }, 240_000);
});

describe('the ledger check', () => {
  it('works on a stopped folder too, and leaves nothing running', async () => {
    expect(await vuka.stop()).toBe(0);
    expect(await ledgerCheck(vuka)).toEqual({
      code: 0,
      output: expect.stringMatching(/which is stopped[^]*The ledger is sound as far as it could be read\./),
    });
    expect(vuka.postgresPid()).toBeNull();
  }, 240_000);
});
