import { afterEach, describe, expect, it } from '@jest/globals';
import { callbackPathOf, type PawapayProvider, pawapayProvider, payoutIdOf, type StatementEntry } from '@vuka/payouts';

import { to } from './adapter.spec-support.js';
import type { SettingsInput } from './settings.js';
import { MINUTE_MS, RunningPawapay, TOKEN } from './simulator.spec-support.js';

/** What our attempt is to be called in a statement. */
const V8 = /^.{14}8/;

let pawapay: RunningPawapay;
let provider: PawapayProvider;
let cursor: string | null = null;

async function start(settings: SettingsInput = {}): Promise<void> {
  pawapay = await RunningPawapay.start({ fees: { default: { fixedHundredths: 0n, basisPoints: 100n } }, ...settings });
  const { baseUrl, clock } = pawapay;
  const statementCallbackUrl = `https://us.example.com${callbackPathOf('pawapay', 'a1'.repeat(16))}`;
  provider = pawapayProvider({ baseUrl, credential: TOKEN, callTimeoutMs: 5_000, clock, statementCallbackUrl });
  cursor = null;
}

/** All wallets once, with the time that pawaPay takes to make their statements. */
async function round(): Promise<StatementEntry[]> {
  const entries: StatementEntry[] = [];
  for (let calls = 0, idle = 0; calls < 250 && idle < 3; calls++) {
    pawapay.clock.advance(10_000);
    const page = await provider.statement(cursor);
    expect(page).not.toBeNull();
    expect(page).not.toHaveProperty('trouble');
    expect(page?.unreadable ?? 0).toBe(0);
    idle = page?.next === cursor ? idle + 1 : 0;
    entries.push(...(page?.entries ?? []));
    cursor = page?.next ?? cursor;
  }
  return entries;
}

afterEach(async () => {
  await provider.close();
  await pawapay.remove();
});

describe('the pawaPay adapter reads statements', () => {
  it('of every wallet: what was paid, with receipt and fee, and what came back at once', async () => {
    await start();
    const [paid, failed] = [to('1234'), to('6089')];
    for (const payout of [paid, failed]) await provider.submit(payout);
    pawapay.clock.advance(MINUTE_MS);
    const entries = new Map((await round()).map((entry) => [entry.attemptId, entry]));
    const [payment] = pawapay.control.payments(payoutIdOf(paid.attemptId));
    expect(paid.attemptId).toMatch(V8);
    expect(entries.get(paid.attemptId)).toMatchObject({
      event: 'paid',
      receipt: payment?.receipt,
      amount: paid.amount,
      fee: { minor: paid.amount.minor / 100n, currency: 'MWK' },
      at: expect.any(Date),
      balanceAfter: { currency: 'MWK' },
    });
    expect(entries.get(failed.attemptId)).toMatchObject({ event: 'not_paid' });
    expect(entries.size).toBe(2);
  });

  it('again and again, so that lines which are late by an hour are told', async () => {
    await start({ statements: { delayMs: 60 * MINUTE_MS } });
    await round();
    const late = to('1234');
    await provider.submit(late);
    pawapay.clock.advance(MINUTE_MS);
    const told: string[] = [];
    for (let rounds = 0; rounds < 6; rounds++) {
      told.push(...(await round()).map(({ attemptId }) => attemptId));
      pawapay.clock.advance(15 * MINUTE_MS);
    }
    expect(told).toContain(late.attemptId);
  });

  it('after a restart of pawaPay, which has forgotten what it was making', async () => {
    await start();
    const payout = to('1234');
    await provider.submit(payout);
    pawapay.clock.advance(MINUTE_MS);
    cursor = (await provider.statement(cursor))?.next ?? null;
    expect(cursor).toContain('"asked":{');
    await pawapay.restart();
    await provider.close();
    provider = pawapayProvider({ baseUrl: pawapay.baseUrl, credential: TOKEN, callTimeoutMs: 5_000, clock: pawapay.clock, statementCallbackUrl: 'https://us.example.com/x' }); // prettier-ignore
    await round();
    pawapay.clock.advance(15 * MINUTE_MS);
    expect((await round()).map(({ attemptId }) => attemptId)).toContain(payout.attemptId);
  });

  it('and says so where pawaPay refuses, the third time', async () => {
    await start();
    await provider.close();
    provider = pawapayProvider({ baseUrl: pawapay.baseUrl, credential: TOKEN, callTimeoutMs: 5_000, clock: pawapay.clock }); // prettier-ignore
    const troubles = new Set<string | undefined>();
    for (let calls = 0; calls < 100; calls++) {
      const page = await provider.statement(cursor);
      cursor = page?.next ?? cursor;
      troubles.add(page?.trouble?.replace(/^.*: /, ''));
      pawapay.clock.advance(MINUTE_MS);
    }
    expect(troubles).toEqual(new Set([undefined, 'HTTP 400 MISSING_PARAMETER']));
  });
});
