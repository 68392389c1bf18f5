import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  ApiClient,
  atDepth,
  drawn,
  ledgerCheck,
  lostAccepts,
  OutsideChecker,
  PartnerLoad,
  FIXTURE_WITHIN_MS,
  sendOpenOnesAgain,
  startStack,
  until,
  WebhookReceiver,
  type StackProcess,
} from '@vuka/testing';

const INSTANCES = 2;
const DIES = drawn(
  'who dies of two',
  ['gateway-2', 'payments', 'validation', 'notifier', 'payments-2', 'notifier-2'],
  2,
);
const ENDS_FIRST = atDepth({ commit: 15, whole: 40 });
const LOAD = atDepth({ commit: { workers: 2, restMs: 250 }, whole: { workers: 4, restMs: 40 } });
const ENDS_BETWEEN = atDepth({ commit: 10, whole: 25 });

let vuka: StackProcess;
let clients: ApiClient[];
let receiver: WebhookReceiver;
let checker: OutsideChecker;

const finals = (): number =>
  receiver.received.filter(({ payload }) => payload.status === 'COMPLETE' || payload.status === 'FAILED').length;

beforeAll(async () => {
  vuka = await startStack({ env: { VUKA_STACK_INSTANCES: String(INSTANCES) } });
  await vuka.isWhole();
  const gateways = await vuka.gateways();
  expect(gateways).toHaveLength(INSTANCES);
  let turn = 0;
  const where = {
    get baseUrl(): string {
      return gateways[turn++ % gateways.length] ?? vuka.baseUrl;
    },
  };
  clients = vuka.partners.map((partner) => new ApiClient(where, partner));
  receiver = await WebhookReceiver.start(vuka.partners);
  checker = await OutsideChecker.begin(vuka, clients, receiver);
}, FIXTURE_WITHIN_MS);

afterAll(async () => {
  await receiver.stop();
  await Promise.all(clients.map((client) => client.close()));
  await vuka.dispose();
}, 60_000);

it('takes the same request at two gateways for one payout', async () => {
  const [one] = clients as [ApiClient, ApiClient];
  const body = {
    amount: 250,
    account_number: '1234567890',
    bank_code: '01',
    reference: 'both-gateways',
    callback_url: receiver.url(),
  };
  const answers = await Promise.all(Array.from({ length: 10 }, () => one.bankTransfer('KES', body)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const keyed = await Promise.all(
    Array.from({ length: 10 }, () =>
      one.bankTransfer('KES', { ...body, reference: 'keyed' }, { 'idempotency-key': 'two-gateways' }),
    ),
  );
  // One runs; parallel repeats get this answer from any gateway.
  expect(keyed.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([]);
  expect(keyed.some(({ status }) => status === 200)).toBe(true);
}, 30_000);

it('works on while one of two dies, of each service in turn', async () => {
  const load = new PartnerLoad({ name: 'two', clients, receiver, ...LOAD });
  await until(() => finals() >= ENDS_FIRST, { withinMs: 60_000, what: 'the road is full', everyMs: 20 });
  for (const name of DIES) {
    await vuka.killMember(name);
    const before = finals();
    await until(() => finals() >= before + ENDS_BETWEEN, {
      withinMs: 60_000,
      what: `payouts end after the death of ${name}`,
      everyMs: 20,
    });
  }
  await load.stop();
  await vuka.isWhole();
  await sendOpenOnesAgain(clients);
  expect(await lostAccepts(clients)).toEqual([]);
}, 180_000);

it('has done everything once, by the outside checker and by the ledger', async () => {
  const { transactions, paid } = await checker.expectSound();
  expect(transactions).toBeGreaterThan(ENDS_FIRST + DIES.length * ENDS_BETWEEN);
  expect(paid).toBeGreaterThan(0);
  expect(await ledgerCheck(vuka)).toEqual({ code: 0, output: expect.stringMatching(/The ledger is sound\./) });
}, 240_000);
