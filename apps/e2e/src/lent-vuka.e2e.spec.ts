import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountNumber,
  ApiClient,
  LentVuka,
  openSharedFixture,
  ProviderBooks,
  FIXTURE_WITHIN_MS,
  until,
  watchStatus,
  type Fixture,
} from '@vuka/testing';

/** Two fixtures run, a third place is free. */
const FIXTURES = 3;

let lent: LentVuka;
let fixtures: Fixture[];

beforeAll(async () => {
  lent = await LentVuka.start({ profile: 'embedded', fixtures: FIXTURES });
  Object.assign(process.env, lent.env);
  fixtures = await Promise.all([openSharedFixture(), openSharedFixture()]);
}, FIXTURE_WITHIN_MS);

afterAll(async () => {
  for (const fixture of fixtures) await fixture.end();
  await lent.end();
}, 60_000);

const account_number = accountNumber();
const pay = (client: ApiClient, callback_url: string | null) =>
  client.bankTransfer('KES', { amount: 100, account_number, bank_code: '01', reference: 'same', callback_url });
const wrong = async (): Promise<string> => (await lent.faults()).join('\n');

describe('a Vuka that fixtures share', () => {
  it('has separate partners for each, and stays sound if all pay the same recipient', async () => {
    expect(new Set(fixtures.flatMap(({ clients }) => clients.map(({ partner }) => partner.id))).size).toBe(
      2 * fixtures.length,
    );
    for (const { one, receiver } of fixtures) expect((await pay(one, receiver.url())).status).toBe(200);
    const found = await Promise.all(fixtures.map(({ checker }) => checker.expectSound({ everyWebhook: true })));
    expect(found.map(({ transactions }) => transactions)).toEqual([1, 1]);
    expect(await wrong()).toBe('');
  }, 240_000);

  it('is neither stopped nor started by one of them', async () => {
    const [{ vuka }] = fixtures as [Fixture];
    for (const attempt of [vuka.stop(), vuka.restart(), vuka.kill9({ postgres: true })])
      await expect(attempt).rejects.toThrow(/is shared/);
  });
});

describe('the look at all of it', () => {
  it('finds a payment that no fixture accounts for', async () => {
    const { base_url, credential } = new ProviderBooks(lent.vuka).providers()[0]!;
    const again = {
      id: 'duplicate-payment',
      amount: '100.00',
      currency: 'KES',
      recipient: { account_number, bank_code: '01' },
    };
    const answer = await fetch(`${base_url}/v1/payouts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(again),
    });
    expect(answer.status).toBe(202);
    const paid = async () =>
      (await new ProviderBooks(lent.vuka).entries()).filter(
        ({ status, recipient }) => status === 'PAID' && recipient.account_number === account_number,
      );
    await until(async () => (await paid()).length === 3, {
      withinMs: 60_000,
      what: 'the provider has paid again',
      everyMs: 100,
    });
    expect(await wrong()).toMatch(/the providers paid 10000, 10000, 10000; its transactions account for 10000, 10000/);
  }, 60_000);

  it('finds payments of a partner without a fixture, and its lower wallet', async () => {
    const stranger = new ApiClient(lent.vuka, lent.vuka.partner(2 * fixtures.length));
    expect((await pay(stranger, null)).status).toBe(200);
    await watchStatus(stranger, 'same', 'COMPLETE', 15_000);
    await stranger.close();
    const faults = await wrong();
    expect(faults).toMatch(/the providers paid 10000, 10000, 10000, 10000;/);
    expect(faults).toContain(`wallet KES of partner ${stranger.partner.id} is`);
  }, 60_000);

  it('finds a fixture that ended without a last look', async () => {
    const third = await openSharedFixture();
    await third.end();
    expect(await wrong()).toContain(`the fixture of ${third.one.partner.name} ended without a last look`);
    await expect(openSharedFixture()).rejects.toThrow(/all 3 places on the shared Vuka are taken/);
  }, 60_000);
});
