import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AdminSession,
  key,
  ledgerCheck,
  readChainBook,
  FIXTURE_WITHIN_MS,
  SCREENED_SENDER,
  until,
  type IncomingTransfer,
  type PayBody,
  type StatusRow,
} from '@vuka/testing';

import type { ChainDriver } from './chain-driver.spec-support.js';
import { openPayFixture, type PayFixture } from './pay-fixture.spec-support.js';
import { expectRefused, Pays } from './pays.spec-support.js';

/** `finalized` is twice as many blocks below the head, but a deposit of eight dollars is paid at twelve blocks. */
const EPOCH = 32;
const ENOUGH_TO_PAY = 13;
const PAST_FINALITY = 3 * EPOCH;
/** Seconds: the chain took back a paid deposit, or the payout waits for a provider. */
const TAKEN_BACK = { withinMs: 60_000, what: 'it is taken back', everyMs: 250 };

interface Frozen {
  readonly partner_id: number;
  readonly held_back: number;
  readonly incidents: readonly { readonly id: number; readonly transaction_code: string; readonly detail: string }[];
}

let fixture: PayFixture;
let pays: Pays;
let celo: ChainDriver;
let team: AdminSession;
const vanished = new Map<string, IncomingTransfer>();
let first: { code: string; hash: string };
const raws = new Map<string, Readonly<Record<string, string>>>();

beforeAll(async () => {
  fixture = await openPayFixture({
    chains: ['CELO'],
    env: { VUKA_TEST_CHAIN_EPOCH: String(EPOCH), UNAPPLIED_POLICY: 'wallet' },
  });
  pays = new Pays(fixture);
  celo = fixture.chain('CELO');
  team = new AdminSession(fixture.vuka);
  // From here blocks are made by hand, so that none makes another final.
  await celo.stall(true);
}, FIXTURE_WITHIN_MS);

afterAll(async () => {
  await team.end();
  await fixture.end();
}, 60_000);

/** Deep enough to be paid but not final; claimed. Its own sender can send the transaction again. */
async function shallow(
  amount: string,
  body: Partial<PayBody> & { number?: string } = {},
  from?: string,
): Promise<{ code: string; hash: string }> {
  const hash = await pays.deposit(amount, { mine: false, from: from ?? (await celo.newSender()) });
  await celo.mine(ENOUGH_TO_PAY);
  return { hash, code: await pays.claim(hash, body) };
}

async function again({ hash }: { readonly hash: string }): Promise<void> {
  const { from, to, input, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = raws.get(hash) ?? {};
  expect(
    await celo.ask('eth_sendTransaction', { from, to, data: input, nonce, gas, maxFeePerGas, maxPriorityFeePerGas }),
  ).toBe(hash);
  await celo.mine(PAST_FINALITY);
}

async function takenOffTheChain(
  codes: readonly { readonly code: string; readonly hash: string }[],
  depth: number,
  client = fixture.one,
): Promise<void> {
  const address = await client.settlementAddress('CELO');
  const book = await readChainBook({ chain: 'CELO', url: celo.url, addresses: [address.toLowerCase()], hashes: [] });
  for (const { code, hash } of codes) {
    const incomingTransfer = book.incomingTransfers.find((one) => one.hash === hash);
    if (incomingTransfer === undefined) throw new Error(`${hash} is not there`);
    raws.set(hash, (await celo.ask('eth_getTransactionByHash', hash)) as Readonly<Record<string, string>>);
    vanished.set(key({ partner: client.partner.id, code }), {
      ...incomingTransfer,
      finalAt: incomingTransfer.finalAt ?? incomingTransfer.at,
    });
  }
  await celo.reorg(depth);
  for (const { hash } of codes) expect(await celo.ask('eth_getTransactionReceipt', hash)).toBeNull();
  await celo.mine(PAST_FINALITY);
}

const stuck = async (): Promise<{
  frozen: readonly Frozen[];
  owed_by_partners: readonly { partner_id: number }[];
  incidents: readonly { event: string }[];
}> => team.tell('stuck');
const frozenOf = async (partner: number): Promise<Frozen | undefined> =>
  (await stuck()).frozen.find(({ partner_id: id }) => id === partner);
const isBalanced = async (): Promise<void> =>
  expect(await ledgerCheck(fixture.vuka)).toEqual({ code: 0, output: expect.stringMatching(/The ledger is sound\./) });
const wallet = async (client = fixture.one): Promise<bigint> => (await client.wallets()).get('KES') ?? 0n;

describe('a chain that takes back what was paid for', () => {
  let before: bigint;

  it('does not change the payout: the partner owes the vanished value, and its wallet pays it', async () => {
    before = await wallet();
    first = await shallow('8');
    const row: StatusRow = await pays.ended(first.code, 'COMPLETE');
    expect(row.receipt_number).not.toBeNull();
    expect(await wallet()).toBe(before + 2_445n);
    await takenOffTheChain([first], ENOUGH_TO_PAY);
    await until(
      async () => (await wallet()) === before - 100_000n || Promise.reject(new Error(String(await wallet()))),
      TAKEN_BACK,
    );
    expect(await fixture.one.status(first.code)).toMatchObject({
      status: 'COMPLETE',
      receipt_number: row.receipt_number,
    });
    expect(fixture.receiver.of(first.code).map(({ event }) => event)).toEqual([
      'transaction.processing',
      'transaction.complete',
    ]);
  }, 120_000);

  it('has an incident with the frozen partner and the command that lifts the freeze', async () => {
    const { partner } = fixture.one;
    const { frozen, incidents } = await stuck();
    expect(frozen.find(({ partner_id: id }) => id === partner.id)?.incidents).toMatchObject([
      { transaction_code: first.code, detail: expect.stringMatching(/^deposit \d+ vanished from CELO$/) },
    ]);
    expect(incidents).toMatchObject([{ event: 'deposit.reverted' }]);
    expect(frozen.find(({ partner_id: id }) => id === fixture.two.partner.id)).toBeUndefined();
    const report = await team.tell<{ deposits: readonly { state: string }[]; next: readonly string[] }>(
      'show',
      first.code,
    );
    expect(report.deposits).toMatchObject([{ state: 'reverted' }]);
    await isBalanced();
  }, 60_000);

  it("stops the partner's new payouts and nobody else's, and not its questions", async () => {
    const hash = await pays.deposit('8.3', { mine: false });
    await celo.mine(PAST_FINALITY);
    expect(expectRefused(await pays.ask(hash), 403, 'forbidden')).toMatch(/vanished/);
    expect(await fixture.one.status(first.code)).toMatchObject({ status: 'COMPLETE' });
    const theirs = await pays.deposit('8.4', { client: fixture.two, mine: false });
    await celo.mine(PAST_FINALITY);
    await pays.ended(await pays.claim(theirs, {}, fixture.two), 'COMPLETE', fixture.two);
  }, 60_000);

  it('is over when people have resolved it', async () => {
    const [incident] = (await frozenOf(fixture.one.partner.id))?.incidents ?? [];
    await team.tell(
      'resolve',
      String(incident?.id),
      '--by',
      'Ann Otieno',
      '--note',
      'the chain went back, ticket 12; the partner knows',
    );
    const hash = await pays.deposit('8.5', { mine: false });
    await celo.mine(PAST_FINALITY);
    const code = await until(() => pays.claim(hash), { withinMs: 60_000, what: 'the freeze is lifted', everyMs: 250 });
    await pays.ended(code, 'COMPLETE');
    expect(await frozenOf(fixture.one.partner.id)).toBeUndefined();
  }, 60_000);
});

async function unfrozen(partner: number): Promise<void> {
  for (const { id } of (await frozenOf(partner))?.incidents ?? [])
    await team.tell('resolve', String(id), '--by', 'Ann Otieno', '--note', 'the chain went back, ticket 13');
}

const reaches = async (sum: bigint): Promise<unknown> =>
  until(async () => (await wallet()) === sum || Promise.reject(new Error(String(await wallet()))), TAKEN_BACK);

describe('a chain that takes back what was not paid out yet', () => {
  it('ends the payout that waits for people, and nobody owes anything', async () => {
    const before = await wallet();
    const held = await shallow('8.1', {}, SCREENED_SENDER);
    await until(
      async () =>
        /review/.test((await fixture.one.status(held.code))?.message ?? '') || Promise.reject(new Error('not yet')),
      { withinMs: 60_000, what: 'it is held', everyMs: 100 },
    );
    await takenOffTheChain([held], ENOUGH_TO_PAY);
    expect(await pays.ended(held.code, 'FAILED', fixture.one, TAKEN_BACK.withinMs)).toMatchObject({
      failure_code: 'deposit_reverted',
      receipt_number: null,
    });
    expect(await wallet()).toBe(before);
    expect(await frozenOf(fixture.one.partner.id)).toBeUndefined();
  }, 120_000);

  it('ends the payout that waits for its provider, also during a call, and the wallet is unchanged', async () => {
    const before = await wallet();
    // The provider has no float; it is asked again every second or two, for half a minute.
    const parked = await shallow('8.2', { number: '0007' });
    await until(
      async () =>
        ((await fixture.one.status(parked.code))?.message ?? '').startsWith('Waiting for a payment rail') ||
        Promise.reject(new Error('not yet')),
      { withinMs: 60_000, what: 'it is parked', everyMs: 100 },
    );
    await takenOffTheChain([parked], ENOUGH_TO_PAY);
    expect((await pays.ended(parked.code, 'FAILED', fixture.one, TAKEN_BACK.withinMs)).receipt_number).toBeNull();
    await until(
      async () =>
        (await team.tell<{ deposits: readonly { state: string }[] }>('show', parked.code)).deposits[0]?.state ===
          'reverted' || Promise.reject(new Error('not yet')),
      { ...TAKEN_BACK, everyMs: 2_000 },
    );
    await reaches(before);
    await unfrozen(fixture.one.partner.id);
  }, 180_000);
});

describe('a transfer that comes back into a later block', () => {
  it('is value that came too late, even if its payout was made: it goes to the wallet, which has paid the debt', async () => {
    const before = await wallet();
    await again(first);
    await reaches(before + 102_445n);
    expect(await fixture.one.status(first.code)).toMatchObject({ status: 'COMPLETE' });
    expect((await stuck()).incidents.map(({ event }) => event)).toContain('deposit.unapplied');
  }, 120_000);
});

it('stands from outside: nobody was paid twice, no wallet is below what it should be, and the ledger is sound', async () => {
  await isBalanced();
  expect((await fixture.checker.expectSound({ vanished, unapplied: 'wallet' })).incomingTransfers).toBeGreaterThan(0);
}, 240_000);
