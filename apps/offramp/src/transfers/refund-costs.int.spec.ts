import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { chainNamed, leastWorth } from '@vuka/domain';
import { until } from '@vuka/testing';

import { type RefundAdmin } from '../admin/refund-admin.js';
import { PageRefunds } from '../alerts/page-refunds.js';
import { RefundWatch } from '../alerts/refund-watch.js';
import { REPLACE_AFTER_MS } from './follow-transfer.js';
import { RefundFixture } from './refund-fixture.spec-support.js';

const WORD = { by: 'Ann', reason: 'ticket 77' };
const USDC = { decimals: 6 };
const HELD_MINOR = 12_500_000n;
/** A token account and its signature on Solana. */
const [RENT, SIGNATURE] = [2_262_000n, 12_500n];

let fixture: RefundFixture;
beforeAll(async () => {
  fixture = await RefundFixture.open();
}, 60_000);
beforeEach(() => fixture.reset());
afterAll(() => fixture.close());

const admin = (): RefundAdmin => fixture.admin();
function mostCost(chain: string): bigint {
  let cost = 1n;
  while (leastWorth(chainNamed(chain)!, USDC, cost * 2n) <= HELD_MINOR) cost *= 2n;
  for (let step = cost / 2n; step > 0n; step /= 2n)
    if (leastWorth(chainNamed(chain)!, USDC, cost + step) <= HELD_MINOR) cost += step;
  return cost;
}
const places = (): Promise<unknown[]> => fixture.db.query('select 1 from refund_places');

describe('a refund costs us no more than it may', () => {
  it('the bid for gas is within a fifth of its worth, or it waits for people; nothing of it is prepared, shown or given to the chain, and it never fails by that', async () => {
    const most = mostCost('CELO');
    fixture.offline();
    fixture.chain.cost = most + 1n;
    await fixture.held(1);
    await fixture.rounds(4, fixture.worker());
    expect(await fixture.state()).toMatch(
      /^queued cost: its transfer costs up to USD 2\.51 \(0\.2083\d+ CELO\)\. At this cost only refunds of 12\.500001 or more are sent without a person\. A person decides whether it may be sent$/,
    );
    expect([
      await fixture.versions(),
      (await admin().toSign()).transfers,
      await places(),
      await fixture.kinds(),
    ]).toEqual([[], [], [], []]);
    fixture.lines = [];
    await new PageRefunds(new RefundWatch(fixture.db), fixture.clock, fixture.log).run();
    expect(fixture.lines).toMatchObject([{ code: 'refund_too_dear', chain: 'CELO', refunds: 1 }]);
    fixture.clock.advance(30 * 24 * 60 * 60_000);
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toMatch(/^queued cost: /);
  });

  it('the least that goes by itself follows from the bid in force', async () => {
    const most = mostCost('CELO');
    fixture.chain.cost = most + 1n;
    await fixture.held(1);
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toMatch(/^queued cost: /);
    fixture.chain.cost = most;
    await fixture.rounds(4, fixture.worker());
    expect(await fixture.state()).toBe('broadcast');
  });

  it('people clear it for up to twice its cost; a higher bid waits for them again', async () => {
    const most = mostCost('CELO');
    fixture.chain.cost = 3n * most;
    await fixture.held(1);
    await fixture.rounds(2, fixture.worker());
    expect(await admin().clear(1, WORD)).toEqual({ ok: true, value: undefined });
    fixture.chain.cost = 6n * most + 1n;
    await fixture.rounds(2, fixture.worker());
    expect([await fixture.state(), fixture.chain.broadcasts]).toEqual([expect.stringMatching(/^queued cost: /), []]);
    fixture.chain.cost = 6n * most;
    await fixture.rounds(4, fixture.worker());
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect([await fixture.state(), fixture.chain.paid.length]).toEqual(['confirmed', 1]);
    const [row] = await fixture.db.query<{ note: string }>('select note from refunds');
    expect(row?.note).toBe('Ann: ticket 77');
  });

  it('people cancel it, and its value is available to the partner again', async () => {
    fixture.chain.cost = mostCost('CELO') + 1n;
    const deposit = await fixture.held(1);
    await fixture.rounds(2, fixture.worker());
    expect(await admin().cancel(1, WORD)).toMatchObject({ ok: true });
    expect([await fixture.state(), await fixture.depositState(deposit)]).toEqual(['failed cancelled', 'unapplied']);
  });

  it('a replacement with a higher bid is held to the same, and the first one goes on being followed', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    fixture.chain.cost = mostCost('CELO') + 1n;
    fixture.clock.advance(REPLACE_AFTER_MS);
    await fixture.rounds(3, fixture.worker());
    expect([await fixture.state(), (await fixture.versions()).length]).toEqual([
      expect.stringMatching(/^broadcast cost: /),
      1,
    ]);
    expect(await admin().clear(1, WORD)).toMatchObject({ ok: true });
    await fixture.rounds(3, fixture.worker());
    expect((await fixture.versions()).map(({ state, place }) => [state, place])).toEqual([
      ['signed', 7],
      ['signed', 7],
    ]);
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect([await fixture.state(), fixture.chain.paid.length]).toEqual(['confirmed', 1]);
  });

  it('one that was prepared at more than it may cost by now, and that nobody was shown, is prepared anew and waits', async () => {
    fixture.offline();
    await fixture.held(1);
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toBe('prepared');
    const dear = mostCost('CELO') + 1n;
    await fixture.db.query(
      `update refund_transfers set unsigned = jsonb_set(unsigned, '{mostFeeMinor}', to_jsonb($1::text))`,
      [dear.toString()],
    );
    fixture.chain.cost = dear;
    await fixture.rounds(3, fixture.worker());
    expect([await fixture.state(), await fixture.versions()]).toEqual([expect.stringMatching(/^queued cost: /), []]);
  });
});

const goes = (id: number): Promise<unknown> =>
  until(async () => (await fixture.rounds(1, fixture.worker()), (await fixture.state(id)) === 'broadcast'), {
    withinMs: 20_000,
    what: `refund ${String(id)} goes`,
  });

describe('rent of a new token account', () => {
  beforeEach(() => {
    fixture.on('SOLANA');
    [fixture.chain.rent, fixture.chain.cost] = [RENT, RENT + SIGNATURE];
  });

  it('is counted into what a refund costs', async () => {
    await fixture.held(1);
    await fixture.db.query('update refunds set amount_minor = 1000000');
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state()).toMatch(
      /^queued cost: its transfer costs up to USD 0\.91 \(0\.002274500 SOL\)\. At this cost only refunds of 4\.549000 or more/,
    );
    [fixture.chain.rent, fixture.chain.cost] = [0n, SIGNATURE];
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state()).toBe('broadcast');
  });

  it('of one partner is paid for so many accounts a day, however much their refunds are worth; the rest waits for people', async () => {
    const { mostRentADay } = chainNamed('SOLANA') as { mostRentADay: bigint };
    const free = Number(mostRentADay / RENT);
    const [ids, last] = [Array.from({ length: free + 3 }, (_, index) => index + 1), free + 3];
    for (const id of ids) {
      await fixture.held(id);
      await fixture.rounds(3, fixture.worker());
    }
    const spent =
      /^cost: its transfer creates an account for USD 0\.91 \(0\.002262000 SOL\), and refunds of its partner/;
    const queued = async (): Promise<{ id: number; trouble: string | null }[]> =>
      (await fixture.states()).filter(({ state }) => state === 'queued');
    // A refund may wait for another's place for a moment.
    const held = await until(
      async () => (
        await fixture.rounds(1, fixture.worker()),
        (await queued()).every(({ trouble }) => spent.test(trouble ?? '')) ? queued() : undefined
      ),
      { withinMs: 20_000, what: 'the rest waits for people' },
    );
    expect(held).toHaveLength(3);
    expect((await fixture.states()).filter(({ state }) => state === 'broadcast')).toHaveLength(free);
    // These are sent: to an existing account, with people's permission, and the rest after a day.
    const [one, other] = held.map(({ id }) => id) as [number, number];
    expect(await admin().clear(one, WORD)).toMatchObject({ ok: true });
    await goes(one);
    expect(await fixture.state(other)).toMatch(/^queued (cost|waits for refund)/);
    fixture.clock.advance(24 * 60 * 60_000);
    await goes(last);
  }, 60_000);
});
