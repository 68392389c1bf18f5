import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountNumber, eachOf, ledgerCheck, openScene, SCENE_WITHIN_MS, until, type ApiClient, type OutsideChecker, type Scene, type VukaProcess, type WebhookReceiver } from '@vuka/testing';

let vuka: VukaProcess;
let clients: Scene['clients'];
let receiver: WebhookReceiver;
let checker: OutsideChecker;
let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
  ({ vuka, clients, receiver, checker } = scene);
}, SCENE_WITHIN_MS);

afterAll(() => scene.end(), 60_000);

const LANES = 6;
/** Enough that at the crash there are transfers at every place of the road. */
const FINAL_WEBHOOKS_FIRST = 60;
const SANDBOX_NUMBERS = ['7890', '7890', '7890', '0000', '0001'];

const finals = (): number => receiver.received.filter(({ payload }) => payload.status === 'COMPLETE' || payload.status === 'FAILED').length;

/** Partners that send one transfer after another, on several lanes each, until told to stop; an answer that does not come ends nobody. */
class Load {
  private readonly lanes: Promise<void>[];
  private going = true;
  private sent = 0;

  constructor(private readonly name: string) {
    this.lanes = clients.flatMap((client) => Array.from({ length: LANES }, () => this.lane(client)));
  }

  async stop(): Promise<void> {
    this.going = false;
    await Promise.all(this.lanes);
  }

  private async lane(client: ApiClient): Promise<void> {
    while (this.going) {
      const number = this.sent++;
      const body = {
        amount: 100, account_number: accountNumber(SANDBOX_NUMBERS[number % SANDBOX_NUMBERS.length]), bank_code: '01', reference: `${this.name}-${number}`, callback_url: receiver.url(),
      };
      const headers = number % 3 === 0 ? { 'idempotency-key': `${this.name}-${number}` } : {};
      await client.bankTransfer('KES', body, headers).catch(() => undefined);
    }
  }
}

/** Runs load until ends come in, lets `crash` happen in the middle of it, and gives what was accepted before. */
async function loadUntilCrash(name: string, crash: () => Promise<void>): Promise<void> {
  const before = finals();
  const load = new Load(name);
  await until(() => finals() >= before + FINAL_WEBHOOKS_FIRST, { withinMs: 30_000, what: 'the road is full', everyMs: 5 });
  await crash();
  await load.stop();
}

/** What a partner does that got no answer: the same request again. Every second one, so that the others end on their own. */
async function sendOpenOnesAgain(): Promise<void> {
  for (const client of clients) {
    const open = client.sent.filter(({ outcome }) => outcome === 'open').filter((_, index) => index % 2 === 0);
    await eachOf(open, 8, async (payout) => expect((await client.sendAgain(payout)).status).toBe(200));
  }
}

/** Every 200 that was ever sent is there, whether it has ended or not. */
async function expectAllThere(): Promise<void> {
  for (const client of clients) {
    const accepted = client.sent.filter(({ outcome }) => outcome === 'accepted');
    const rows = await eachOf(accepted, 16, ({ code }) => client.status(code));
    expect(accepted.filter((_, index) => rows[index] === null).map(({ code }) => code)).toEqual([]);
  }
}

describe('kill -9 under load', () => {
  it.each([
    ['of everything, as a power cut does', 'cut', true],
    ['of the process alone, whose PostgreSQL is left an orphan', 'orphan', false],
    ['again, before it has finished what the last one left', 'again', true],
  ])('%s: after the restart every 200 is there', async (_, name, postgres) => {
    await loadUntilCrash(name, () => vuka.kill9({ postgres }));
    const orphan = vuka.postgresPid();
    expect(orphan === null).toBe(postgres);
    await vuka.restart();
    expect(vuka.postgresPid()).not.toBe(orphan);
    await expectAllThere();
    await sendOpenOnesAgain();
  }, 90_000);

  it('of PostgreSQL alone: no false answer, and within seconds all goes on', async () => {
    const accepted = (): number => clients.flatMap((client) => client.sent.filter(({ outcome }) => outcome === 'accepted')).length;
    await loadUntilCrash('database', async () => {
      await vuka.kill9Postgres();
      const before = accepted();
      await until(() => accepted() > before, { withinMs: 10_000, what: 'transfers are accepted again', everyMs: 20 });
    });
    expect((await fetch(`${vuka.baseUrl}/health/ready`)).status).toBe(200);
    await expectAllThere();
    await sendOpenOnesAgain();
  }, 90_000);

  it('in the end each is paid once, told, and costs what it costs; the ledger is sound', async () => {
    const { transactions, paid } = await checker.expectSound();
    expect(transactions).toBeGreaterThan(4 * FINAL_WEBHOOKS_FIRST);
    expect(paid).toBeGreaterThan(0);
    expect(await ledgerCheck(vuka)).toEqual({ code: 0, output: expect.stringMatching(/The ledger is sound\./) });
  }, 120_000);
});

describe('the ledger check', () => {
  it('works on a stopped folder too, and leaves nothing running', async () => {
    expect(await vuka.stop()).toBe(0);
    expect(await ledgerCheck(vuka)).toEqual({ code: 0, output: expect.stringMatching(/which is stopped[^]*The ledger is sound\./) });
    expect(vuka.postgresPid()).toBeNull();
  }, 90_000);
});
