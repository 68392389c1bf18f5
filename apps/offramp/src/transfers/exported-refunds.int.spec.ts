import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type RefundAdmin, type TransfersToSign } from '../admin/refund-admin.js';
import { PageRefunds } from '../alerts/page-refunds.js';
import { RefundWatch } from '../alerts/refund-watch.js';
import { RECIPIENT, RefundFixture } from './refund-fixture.spec-support.js';

/** A signer has seen it: only proof that it was not included, or people, may end it. */
let fixture: RefundFixture;
beforeAll(async () => {
  fixture = await RefundFixture.open();
}, 60_000);
beforeEach(async () => {
  await fixture.reset();
  fixture.offline();
});
afterAll(() => fixture.close());

const MINUTE = 60_000;
const WORD = { by: 'Ann', reason: 'ticket 91' };
const HASH = '0x'.padEnd(66, '7');
const admin = (): RefundAdmin => fixture.admin();
const turns = (count = 2): Promise<void> => fixture.rounds(count, fixture.worker());

async function bringIn({ transfers }: TransfersToSign): Promise<unknown> {
  const signed = transfers.map(({ refund_id, version, transfer }) => ({
    refund_id,
    version,
    raw: `signed ${transfer.payload}`,
  }));
  const taken = await admin().take({ kind: 'vuka-refunds-signed', transfers: signed }, WORD);
  return taken.ok ? taken.value.map(({ taken: isTaken, why }) => (isTaken ? 'taken' : why)) : taken.error;
}

interface Trip {
  readonly deposit: number;
  readonly file: TransfersToSign;
}

async function exported(livesForMs: number | null): Promise<Trip> {
  fixture.chain.livesForMs = livesForMs;
  const deposit = await fixture.held(1);
  await turns();
  const file = await admin().toSign();
  expect(file.transfers).toHaveLength(1);
  return { deposit, file };
}

/** In any order. */
const STEPS = {
  'is given up': async () =>
    expect(await admin().cancel(1, WORD)).toEqual({ ok: true, value: { ends: expect.any(String) } }),
  'its deposit vanishes': async ({ deposit }: Trip) => fixture.revert(deposit),
  'another deposit vanishes': async () => fixture.vanish(await fixture.deposit(9, 'consumed')),
  'its partner is suspended': async () => fixture.partner('suspended', 1),
  'screening has its recipient': async () => void fixture.listed.add(RECIPIENT),
  'is let go': async () => void (await admin().clear(1, WORD)),
  'is sent by hand': async ({ file }: Trip) => {
    const [{ transfer }] = file.transfers as [TransfersToSign['transfers'][number]];
    const signed = fixture.chain.signer.verify(transfer, `signed ${transfer.payload}`);
    if (signed.ok) await fixture.chain.broadcast(signed.value);
    fixture.chain.mine();
  },
  'is brought in, and refused': async ({ file }: Trip) =>
    expect(await bringIn(file)).toEqual([expect.stringMatching(/nothing .*sent/)]),
  'is brought in late': async ({ file }: Trip) => expect(await bringIn(file)).toEqual(['taken']),
  'its nonce is used': async () => fixture.chain.overtake(),
  'its chain cannot tell': async () => {
    fixture.clock.advance(MINUTE);
    fixture.chain.says = { kind: 'unclear', reason: 'nobody can tell', found: null, alike: [] };
  },
  'its chain proves it dead': async () => {
    fixture.clock.advance(MINUTE);
    fixture.chain.says = { kind: 'dead', reason: 'not used' };
  },
  'the next refund takes its nonce': async () => {
    await fixture.held(2);
    await turns();
    expect((await fixture.versions()).map(({ refund, state, place }) => [refund, state, place])).toEqual([
      [1, 'prepared', 7],
      [2, 'prepared', 7],
    ]);
    expect(await bringIn(await admin().toSign())).toEqual(['taken']);
    await turns();
    fixture.chain.mine();
  },
  'people: it was sent': async () => expect(await admin().settle(1, HASH, WORD)).toMatchObject({ ok: true }),
  'people: it was not sent': async () => expect(await admin().settle(1, null, WORD)).toMatchObject({ ok: true }),
} as const;
type Step = keyof typeof STEPS;

const CANCELLED = { state: 'failed cancelled', deposit: 'unapplied', told: ['refund.failed 1'], paid: 0 };
const REVERTED = { ...CANCELLED, state: 'failed deposit_reverted', deposit: undefined };
const SENT = { state: 'confirmed', deposit: 'refunded', told: ['refund.confirmed 1'], paid: 1 };
const SENT_OF_NOTHING = { ...SENT, deposit: undefined };

type Case = readonly [steps: readonly Step[], outcome: typeof CANCELLED | typeof REVERTED];

/** Expires after a minute. Only the last step ends it. */
const TIMED: readonly Case[] = [
  [['is given up', 'its chain proves it dead'], CANCELLED],
  [['its deposit vanishes', 'its chain proves it dead'], REVERTED],
  [['is given up', 'its deposit vanishes', 'its chain proves it dead'], REVERTED],
  [['its deposit vanishes', 'is given up', 'its chain proves it dead'], REVERTED],
  [['is given up', 'is brought in, and refused', 'its chain proves it dead'], CANCELLED],
  [['its deposit vanishes', 'is brought in, and refused', 'its chain proves it dead'], REVERTED],
  [['another deposit vanishes', 'is given up', 'is let go', 'its chain proves it dead'], CANCELLED],
  [['another deposit vanishes', 'its deposit vanishes', 'is let go', 'its chain proves it dead'], REVERTED],
  [['its partner is suspended', 'is given up', 'its chain proves it dead'], CANCELLED],
  [['its partner is suspended', 'its deposit vanishes', 'its chain proves it dead'], REVERTED],
  [['screening has its recipient', 'is given up', 'is let go', 'its chain proves it dead'], CANCELLED],
  [['is given up', 'its chain cannot tell', 'people: it was not sent'], CANCELLED],
  [['its chain cannot tell', 'is given up', 'people: it was not sent'], CANCELLED],
  [['its chain cannot tell', 'its deposit vanishes', 'people: it was not sent'], REVERTED],
  [['its deposit vanishes', 'its chain cannot tell', 'people: it was not sent'], REVERTED],
  [['is given up', 'its chain cannot tell', 'its deposit vanishes', 'people: it was not sent'], REVERTED],
  [
    ['is given up', 'its chain cannot tell', 'is brought in late', 'people: it was not sent'],
    { ...CANCELLED, told: ['refund.signed 1', 'refund.failed 1'] },
  ],
  [['is sent by hand', 'is given up', 'its chain cannot tell', 'people: it was sent'], SENT],
  [['is given up', 'is sent by hand', 'its chain cannot tell', 'people: it was sent'], SENT],
  [['is sent by hand', 'its deposit vanishes', 'its chain cannot tell', 'people: it was sent'], SENT_OF_NOTHING],
  [['its deposit vanishes', 'is sent by hand', 'its chain cannot tell', 'people: it was sent'], SENT_OF_NOTHING],
  [
    ['is given up', 'is sent by hand', 'its deposit vanishes', 'its chain cannot tell', 'people: it was sent'],
    SENT_OF_NOTHING,
  ],
];

/** Never expires. */
const BY_NONCE: readonly Case[] = [
  [['is given up', 'the next refund takes its nonce'], CANCELLED],
  [['its deposit vanishes', 'the next refund takes its nonce'], REVERTED],
  [['is given up', 'its nonce is used', 'people: it was not sent'], CANCELLED],
  [['its deposit vanishes', 'its nonce is used', 'people: it was not sent'], REVERTED],
  [['its nonce is used', 'is given up', 'people: it was not sent'], CANCELLED],
  [['is given up', 'is sent by hand', 'people: it was sent'], SENT],
  [
    ['is sent by hand', 'is given up', 'is brought in late'],
    { ...SENT, told: ['refund.signed 1', 'refund.confirmed 1'] },
  ],
  [
    ['is sent by hand', 'its deposit vanishes', 'is brought in late'],
    { ...SENT_OF_NOTHING, told: ['refund.signed 1', 'refund.confirmed 1'] },
  ],
];

const told = async (): Promise<string[]> =>
  (await fixture.kinds()).map((kind) => kind.replace(/_\d+$/, '')).filter((kind) => /^refund\..* 1$/.test(kind));

async function played(livesForMs: number | null, [steps, outcome]: Case): Promise<void> {
  const trip = await exported(livesForMs);
  for (const step of steps) {
    expect([step, await fixture.state(), (await told()).filter((kind) => kind !== 'refund.signed 1')]).toEqual([
      step,
      expect.stringMatching(/^(prepared|signed)/),
      [],
    ]);
    expect(await fixture.depositState(trip.deposit)).toBe(
      (await fixture.db.query('select 1 from deposits where id = $1', [trip.deposit])).length === 1
        ? 'refunding'
        : undefined,
    );
    await STEPS[step](trip);
    await turns(3);
  }
  const paid = fixture.chain.paid.filter((one) => one.startsWith('refund-1 ')).length;
  expect({
    state: await fixture.state(),
    deposit: await fixture.depositState(trip.deposit),
    told: await told(),
    paid,
  }).toEqual(outcome);
  fixture.chain.says = undefined;
  await turns(3);
  expect([
    await fixture.state(),
    (await admin().toSign()).transfers.filter(({ refund_id }) => refund_id === 1),
  ]).toEqual([outcome.state, []]);
}

describe('a refund that was exported and not brought in', () => {
  it.each(TIMED.map((one) => [one[0].join(', then '), one[1].state, one] as const))(
    'of a chain where it lives a minute: %s: %s',
    (_steps, _state, one) => played(MINUTE, one),
  );

  it.each(BY_NONCE.map((one) => [one[0].join(', then '), one[1].state, one] as const))(
    'of a chain where its nonce alone ends it: %s: %s',
    (_steps, _state, one) => played(null, one),
  );

  it('and is to end says until when and by what, is shown and brought in no more, and is given to no chain by us', async () => {
    const { file } = await exported(MINUTE);
    const expiresAt = file.transfers[0]!.transfer.expiresAt!;
    expect(await admin().cancel(1, WORD)).toEqual({ ok: true, value: { ends: `after ${expiresAt}` } });
    expect(await admin().cancel(1, WORD)).toEqual({ ok: true, value: { ends: `after ${expiresAt}` } });
    await turns(1);
    expect(await fixture.state()).toBe(
      `prepared ending: it is cancelled, but it was exported. It ends when its chain proves that it cannot arrive: after ${expiresAt}`,
    );
    expect([(await admin().toSign()).transfers, await bringIn(file)]).toEqual([
      [],
      [expect.stringContaining('refund-settle')],
    ]);
    expect(await admin().settle(1, null, WORD)).toMatchObject({ ok: false });
    expect([fixture.chain.broadcasts, await fixture.state()]).toEqual([[], expect.stringMatching(/^prepared ending/)]);
    expect(await fixture.db.query('select note from refunds')).toEqual([{ note: 'Ann: ticket 91' }]);
  });

  it('and is to end calls people where that takes longer than it should, and not before', async () => {
    await exported(null);
    expect(await admin().cancel(1, WORD)).toEqual({
      ok: true,
      value: { ends: expect.stringContaining('when nonce 7 of the wallet is used') },
    });
    await turns();
    const codes = async (): Promise<unknown[]> => {
      fixture.lines = [];
      await new PageRefunds(new RefundWatch(fixture.db), fixture.clock, fixture.log).run();
      return fixture.lines.map(({ code }) => code);
    };
    fixture.clock.advance(60 * MINUTE);
    expect(await codes()).toEqual([]);
    fixture.clock.advance(4 * 60 * MINUTE);
    expect(await codes()).toEqual(['refunds_ending']);
  });

  it('and was sent by hand while another had its nonce: each goes once, the other by a nonce of its own', async () => {
    const { file } = await exported(null);
    await STEPS['is given up']();
    await fixture.held(2);
    await turns();
    expect(await bringIn(await admin().toSign())).toEqual(['taken']);
    await STEPS['is sent by hand']({ deposit: 0, file });
    await turns(5);
    expect((await fixture.versions()).map(({ refund, state, place }) => [refund, state, place])).toEqual([
      [1, 'prepared', 7],
      [2, 'dead', 7],
      [2, 'prepared', 8],
    ]);
    expect(await fixture.state()).toMatch(/^prepared unsure: /);
    expect(await admin().settle(1, HASH, WORD)).toMatchObject({ ok: true });
    expect(await bringIn(await admin().toSign())).toEqual(['taken']);
    await turns();
    fixture.chain.mine();
    await turns();
    expect([
      await fixture.state(1),
      await fixture.state(2),
      fixture.chain.paid.map((one) => one.split(' ')[0]),
    ]).toEqual(['confirmed', 'confirmed', ['refund-1', 'refund-2']]);
  });

  it('with a higher bid beside one that is signed is not given up, and its deposit ends nothing', async () => {
    const { deposit, file } = await exported(null);
    expect(await bringIn(file)).toEqual(['taken']);
    await turns();
    fixture.clock.advance(15 * MINUTE);
    await turns();
    const dearer = await admin().toSign();
    expect(dearer.transfers).toMatchObject([{ refund_id: 1, version: 2, transfer: { place: '7' } }]);
    expect(await admin().cancel(1, WORD)).toMatchObject({ ok: false });
    await fixture.revert(deposit);
    await STEPS['is sent by hand']({ deposit, file: dearer });
    await turns(3);
    expect(await fixture.state()).toMatch(/^broadcast unsure: its nonce is used/);
    expect(await admin().cancel(1, WORD)).toMatchObject({ ok: false });
    expect(await admin().settle(1, HASH, WORD)).toEqual({ ok: true, value: { isHeld: false } });
    expect([await told(), fixture.chain.paid.length]).toEqual([
      ['refund.signed 1', 'refund.broadcast 1', 'refund.confirmed 1'],
      1,
    ]);
  });

  it('or is given up at the same moment: what stands in the file is not ended', async () => {
    for (let id = 1; id <= 20; id += 1) {
      await fixture.held(id);
      await turns(1);
      const [file, given] = await Promise.all([admin().toSign(), admin().cancel(id, WORD)]);
      const isShown = file.transfers.some(({ refund_id }) => refund_id === id);
      expect([id, isShown, given, await fixture.state(id)]).toEqual([
        id,
        isShown,
        { ok: true, value: { ends: isShown ? expect.any(String) : null } },
        isShown ? expect.stringMatching(/^prepared/) : 'failed cancelled',
      ]);
    }
  });
});
