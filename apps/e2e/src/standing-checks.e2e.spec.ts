import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithAnvil } from '@vuka/local-servers';
import { AdminSession, ProviderBooks, FIXTURE_WITHIN_MS, until } from '@vuka/testing';

import { transferData } from './chain-driver.spec-support.js';
import { openPayFixture, type PayFixture } from './pay-fixture.spec-support.js';
import { Pays } from './pays.spec-support.js';
import { Refunds } from './refunds.spec-support.js';
import { connectToRunning } from './superuser.spec-support.js';

interface LedgerAnswer {
  readonly ok: boolean;
  readonly verdict: string;
  readonly checks: readonly { readonly rule: string; readonly broken: readonly Record<string, unknown>[] }[];
  readonly not_read: readonly { readonly what: string; readonly why: string; readonly is_away: boolean }[];
}

const CHAINS = ['CELO', 'SOLANA', 'STELLAR'];
let fixture: PayFixture;
let pays: Pays;
let refunds: Refunds;
let admin: AdminSession;

beforeAll(async () => {
  fixture = await openPayFixture({ chains: CHAINS });
  [pays, refunds, admin] = [new Pays(fixture), new Refunds(fixture), new AdminSession(fixture.vuka)];
}, FIXTURE_WITHIN_MS);
afterAll(async () => {
  await admin.end();
  await fixture.end();
}, FIXTURE_WITHIN_MS);

const ledger = async (): Promise<LedgerAnswer> => JSON.parse((await admin.ask('ledger')).text) as LedgerAnswer;
const brokenOf = ({ checks }: LedgerAnswer): Record<string, unknown> =>
  Object.fromEntries(
    checks
      .filter(({ broken }) => broken.length > 0)
      .map(({ rule, broken }) => [rule.split(' ').slice(0, 3).join(' '), broken]),
  );

/** Moves one minor unit from a partner's address without any service. */
async function steal(): Promise<void> {
  const { celo } = pays;
  const from = await fixture.one.settlementAddress('CELO');
  const thief = await celo.newSender();
  await celo.ask('anvil_impersonateAccount', from);
  await celo.ask('anvil_setBalance', from, `0x${(10n ** 20n).toString(16)}`);
  await celo.sendTransaction({ from, to: celo.addressOf('USDC'), data: transferData(thief, 1n) });
  await celo.mineToFinality();
}

async function payWithoutAsking(): Promise<void> {
  const [provider] = new ProviderBooks(fixture.vuka).providers();
  const body = {
    id: 'nobody-asked',
    amount: '12.34',
    currency: 'KES',
    recipient: { kind: 'till', shortcode: '5127890' },
    narration: '',
  };
  const answer = await fetch(`${provider!.base_url}/v1/payouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${provider!.credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(202);
  await answer.body?.cancel();
  await until(
    async () =>
      (await new ProviderBooks(fixture.vuka).entries()).some(({ id, status }) => id === body.id && status === 'PAID'),
    { withinMs: 10_000, what: 'the provider has paid', everyMs: 100 },
  );
}

describeWithAnvil(describe)('ledger:check of a sandbox', () => {
  it('is sound after pays and refunds on chains of each family, and has read all of them', async () => {
    for (const chain of CHAINS)
      await pays.ended(await pays.claim(await pays.deposit('8', { chain }), { chain }), 'COMPLETE');
    const hash = await pays.underpaid('7', 'SOLANA');
    await refunds.stands('COMPLETE', 'SOLANA', hash, await refunds.newRecipient('SOLANA'));
    await pays.deposit('3', { chain: 'STELLAR' });
    const told = await ledger();
    expect({ ok: told.ok, verdict: told.verdict, broken: brokenOf(told), not_read: told.not_read }).toEqual({
      ok: true,
      verdict: 'sound',
      broken: {},
      not_read: [],
    });
  }, 180_000);

  it('finds a deposit that differs between two services, a chain that is one unit short, and a provider that paid too much', async () => {
    const db = await connectToRunning(fixture.vuka.dataDir);
    await db.query(
      'update offramp.deposits set received_minor = received_minor + 1 where id = (select min(id) from offramp.deposits)',
    );
    await db.close();
    await steal();
    await payWithoutAsking();
    // Outflows are read up to the block that was scanned for deposits.
    const told = await until(
      async () => {
        const now = await ledger();
        return Object.keys(brokenOf(now)).length === 3 && now;
      },
      { withinMs: 120_000, what: 'all three are found', everyMs: 500 },
    );
    expect([told.ok, told.not_read]).toEqual([false, []]);
    expect(brokenOf(told)).toEqual({
      'offramp and payments': [
        {
          deposit_id: expect.any(Number),
          what: expect.stringMatching(
            /^offramp has 8000001 of USDC@CELO[^;]*, consumed; payments has 8000000 of USDC@CELO/,
          ),
        },
      ],
      'each chain balance': [expect.objectContaining({ chain: 'CELO', asset: 'USDC@CELO', difference: '-0.000001' })],
      'each provider balance': [
        expect.objectContaining({ provider: 'sandbox', currency: 'KES', difference: '-12.34' }),
      ],
    });
  }, 180_000);

  it('names what was not read when Vuka is stopped', async () => {
    await fixture.vuka.stop();
    const told = await ledger();
    expect(told.not_read.map(({ why, is_away }) => [why, is_away])).toEqual([
      ['the services are stopped', false],
      ['the services are stopped', false],
    ]);
    expect(told.verdict).toBe('not_sound');
    expect(Object.keys(brokenOf(told))).toEqual(['offramp and payments']);
  }, 120_000);
});
