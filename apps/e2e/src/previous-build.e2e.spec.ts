import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountNumber, ApiClient, dataOf, DeskSession, key, ledgerCheck, OutsideChecker, RailBooks, until, VukaProcess, WebhookReceiver, type Answer, type DisburseBody, type Settlement, type TransferBody } from '@vuka/testing';

import { CAPTURES, openingsOf, partnersOf, readCapture, restore, webhooksOf, type CapturedRequest } from './previous-build.spec-support.js';

const IN_FLIGHT = /^(PENDING|PROCESSING)$/;
/** A lease of an Idempotency-Key outlives its holder by this much. */
const LEASE_GONE_WITHIN_MS = 20_000;

/** A first start that ends without a word while it brings the tables up to date. */
async function dieAmongMigrations(vuka: VukaProcess): Promise<void> {
  const start = vuka.restart().then(() => 'ready', () => 'died');
  await until(() => vuka.output().includes('✓ database logins'), { withinMs: 60_000, what: 'the tables are next', everyMs: 1 });
  await vuka.kill9({ postgres: true });
  expect(await start).toBe('died');
}

describe.each(readdirSync(CAPTURES))('a start on what a killed earlier build left behind, %s', (file) => {
  const capture = readCapture(file);
  const { sent, callbackOrigin } = capture.memory;
  const settled = new Map<string, Settlement>();
  let dataDir: string;
  let receiver: WebhookReceiver;
  let vuka: VukaProcess;
  let desk: DeskSession;
  let clients: readonly ApiClient[];
  let checker: OutsideChecker;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'vuka-previous-'));
    receiver = await WebhookReceiver.start(partnersOf(capture));
    receiver.received.push(...webhooksOf(capture));
    await restore(file, dataDir, new URL(receiver.url()).origin);
    vuka = new VukaProcess(dataDir, { dataDir });
    await dieAmongMigrations(vuka);
    await vuka.restart();
    desk = new DeskSession(vuka);
    clients = vuka.partners.map((partner) => new ApiClient(vuka, partner));
    checker = await OutsideChecker.begin(vuka, clients, receiver, { before: new Map(clients.map((client) => [client, openingsOf(capture, client.partner.id)])) });
  }, 120_000);

  afterAll(async () => {
    await desk.end();
    await Promise.all(clients.map((client) => client.close()));
    await receiver.stop();
    await vuka.dispose();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    await rm(vuka.logFile, { force: true });
  }, 60_000);

  const clientOf = ({ partner }: { readonly partner: number }): ApiClient => clients.find((client) => client.partner.id === partner) as ApiClient;
  const currencyOf = ({ path }: CapturedRequest): string => path.split('/')[1] ?? '';
  const headersOf = ({ idempotencyKey }: CapturedRequest): Record<string, string> => (idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey });
  const again = (request: CapturedRequest): Promise<Answer> => {
    const client = clientOf(request);
    if (request.path.endsWith('/disburse')) return client.disburse(currencyOf(request), request.body, headersOf(request));
    return client.bankTransfer(currencyOf(request), request.body as TransferBody, headersOf(request));
  };
  const answered = sent.filter(({ status }) => status === 200);
  const unanswered = sent.filter(({ status }) => status === 0);

  it('keeps the keys, secrets and partners it had', () => {
    expect(vuka.partners).toEqual(partnersOf(capture));
    expect(answered.length + unanswered.length).toBe(sent.length);
  });

  it('answers each request that was answered before with that very answer, and refuses another one under its reference', async () => {
    for (const request of answered) {
      const answer = await again(request);
      expect([request.body.reference, answer.status, answer.text]).toEqual([request.body.reference, 200, request.answer]);
    }
    const [request] = answered as [CapturedRequest, ...CapturedRequest[]];
    const other = await clientOf(request).send({ path: request.path, body: { ...request.body, amount: 7_777 } });
    expect([other.status, other.headers['error-code']]).toEqual([409, 'reference_reused']);
  }, 60_000);

  it('knows what became of each request that was not answered, and takes it again', async () => {
    const origin = new URL(receiver.url()).origin;
    let found = 0;
    for (const request of unanswered) {
      const known = await clientOf(request).status(request.body.reference);
      if (known !== null) found += 1;
      // What never arrived is a new request, told to where the partner listens now, and by the rules of now.
      const { account_name: _refusedNow, ...body } = request.body as DisburseBody & { reference: string };
      const asNew = { ...request, body: { ...body, callback_url: body.callback_url?.replace(callbackOrigin, origin) ?? null }, idempotencyKey: undefined } as unknown as CapturedRequest;
      await until(async () => (await again(known === null ? asNew : request)).status === 200, { withinMs: LEASE_GONE_WITHIN_MS, what: 'it is taken', everyMs: 500 });
    }
    expect(found).toBeGreaterThan(0);
  }, 90_000);

  it('has kept what waits for people, who settle it', async () => {
    const { review } = await desk.tell<{ review: { transaction_code: string; partner_id: number }[] }>('stuck');
    expect(review.length).toBeGreaterThan(0);
    for (const { transaction_code, partner_id } of review) {
      const request = answered.find(({ body, partner }) => body.reference === transaction_code && partner === partner_id) as CapturedRequest;
      const payment = (await new RailBooks(vuka).entries()).find(({ status, recipient }) => status === 'PAID' && recipient.account_number === request.body.account_number);
      const proposal = ['settle', transaction_code, '--partner', String(partner_id), '--paid', '--receipt', payment?.receipt ?? '', '--evidence', "the rail's own book", '--by', 'Ann'];
      const { settlement } = await desk.tell<{ settlement: { id: number } }>(...proposal);
      await desk.tell('approve', String(settlement.id), '--by', 'Ben');
      settled.set(key({ partner: partner_id, code: transaction_code }), 'COMPLETE');
    }
  }, 90_000);

  it('has kept the dead letter, which can be read again', async () => {
    const letters = async () => (await desk.tell<{ dead_letters: { event_id: string; consumer_group: string }[] }>('dead-letters')).dead_letters;
    const kept = await letters();
    expect(kept.length).toBeGreaterThan(0);
    for (const { event_id, consumer_group } of kept) await desk.tell('replay', event_id, '--group', consumer_group, '--reason', 'read again', '--by', 'Ann');
    await until(async () => (await letters()).length === 0, { withinMs: 20_000, what: 'they are read again', everyMs: 500 });
  }, 60_000);

  it('takes and pays a new transfer', async () => {
    const [one] = clients as [ApiClient, ...ApiClient[]];
    const body = { amount: '250.50', account_number: accountNumber(), bank_code: '01', reference: 'after-the-start', callback_url: receiver.url() };
    expect(dataOf<{ transaction_code: string }>(await one.bankTransfer('KES', body)).transaction_code).toBe('after-the-start');
    await receiver.waitForFinal('after-the-start', 60_000);
  }, 30_000);

  it('brings each transaction to its end, once, told, and costing what it costs; the ledger is sound', async () => {
    const { transactions } = await checker.expectSound({ settled, olderBodies: true });
    expect(transactions).toBe(sent.length + 1);
    const rows = await Promise.all(answered.map((request) => clientOf(request).status(request.body.reference)));
    expect(rows.filter((row) => IN_FLIGHT.test(row?.status ?? ''))).toEqual([]);
    expect(await ledgerCheck(vuka)).toEqual({ code: 0, output: expect.stringMatching(/The ledger is sound\./) });
  }, 240_000);
});
