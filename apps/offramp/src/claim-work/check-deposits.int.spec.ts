import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Sighting } from '@vuka/domain';
import { armCrashPoint, type CrashPoint } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { StaleClaims } from '../alerts/stale-claims.js';
import { SwitchStore } from '../switches/switch.store.js';
import { Switches } from '../switches/switches.js';
import { CheckFixture, never, NOW, usdcOn } from '../testing/check-fixture.spec-support.js';
import { awaitingDeposit, found, hashOf } from '../testing/offramp.spec-support.js';
import { CHECK_LIMITS } from './check-deposits.js';

const WITHIN = { withinMs: 10_000, what: 'it comes to that' };

let fixture: CheckFixture;

beforeAll(async () => {
  fixture = await CheckFixture.open();
}, 60_000);

afterAll(() => fixture.close());

beforeEach(() => fixture.reset());

describe('a process that dies', () => {
  it.each<[CrashPoint, number]>([
    ['offramp.before-verdict', 2],
    ['offramp.after-verdict', 1],
  ])('at %s leaves one verdict and one deposit, whichever process checks next', async (point, checks) => {
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    await fixture.addresses.ofPartner(1, 'evm');
    await fixture.take({ transactionId: 1 });
    armCrashPoint({ point, time: 1 }, () => {
      throw new Error('dead');
    });
    await fixture.round(fixture.checker());
    armCrashPoint(undefined);
    fixture.clock.advance(CHECK_LIMITS.leaseMs - 1);
    await fixture.round(fixture.checker());
    expect(fixture.reader().reads).toHaveLength(1);
    fixture.clock.advance(1);
    await fixture.round(fixture.checker());
    expect(fixture.reader().reads).toHaveLength(checks);
    expect(await fixture.states()).toEqual([{ id: 1, state: 'verified', reason: null, fence: checks }]);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1']);
    expect(await fixture.db.query('select 1 from deposits')).toHaveLength(1);
  });

  it('or only sleeps: what it says afterwards is dropped', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    await fixture.take({ transactionId: 1 });
    let wakeUp: (sighting: Sighting) => void = never;
    fixture.reader().says(hashOf(1), () => new Promise((resolve) => (wakeUp = resolve)));
    const slow = fixture.checker();
    await slow.tick();
    await until(() => wakeUp !== never, WITHIN);
    fixture.clock.advance(CHECK_LIMITS.leaseMs);
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    await fixture.round(fixture.checker());
    wakeUp(found({ at: NOW, transfers: [] }));
    await slow.drain();
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1']);
    expect(await fixture.states()).toMatchObject([{ state: 'verified', fence: 2 }]);
    expect(fixture.lines.some(({ msg }) => String(msg).includes('longer than its lease'))).toBe(true);
  });

  it('or only sleeps during an inconclusive check: the next check counts', async () => {
    await fixture.take({ transactionId: 1 });
    let wakeUp: (sighting: Sighting) => void = never;
    fixture.reader().says(hashOf(1), () => new Promise((resolve) => (wakeUp = resolve)));
    const slow = fixture.checker();
    await slow.tick();
    await until(() => wakeUp !== never, WITHIN);
    fixture.clock.advance(CHECK_LIMITS.leaseMs);
    fixture.reader().says(hashOf(1), { kind: 'not_found' });
    await fixture.round(fixture.checker());
    const [before] = await fixture.db.query('select next_check_at, trouble from claims');
    wakeUp({ kind: 'trouble', reason: 'late' });
    await slow.drain();
    expect(await fixture.db.query('select next_check_at, trouble from claims')).toEqual([before]);
  });
});

describe('several processes', () => {
  it('share the due work: each claim is checked once', async () => {
    const count = 100;
    await fixture.addresses.ofPartner(1, 'evm');
    for (let id = 1; id <= count; id += 1) fixture.reader().says(hashOf(id), fixture.enoughOn('CELO'));
    await Promise.all(Array.from({ length: count }, (_, n) => fixture.take({ transactionId: n + 1 })));
    const processes = [fixture.checker(), fixture.checker(), fixture.checker()];
    await until(async () => {
      await fixture.round(...processes);
      return (await fixture.states()).every(({ state }) => state === 'verified');
    }, WITHIN);
    expect(fixture.reader().reads).toHaveLength(count);
    expect(await fixture.kinds()).toHaveLength(count);
    expect(await fixture.db.query('select 1 from deposits')).toHaveLength(count);
  });
});

describe('one transfer', () => {
  it('pays one of two claims that are judged at the same time; the other is told that it is used', async () => {
    for (let time = 0; time < 5; time += 1) {
      const [one, other, hash] = [2 * time + 1, 2 * time + 2, hashOf(1_000 + time)];
      fixture.reader().says(hash, fixture.enoughOn('CELO'));
      await fixture.addresses.ofPartner(1, 'evm');
      await Promise.all([one, other].map((transactionId) => fixture.take({ transactionId, transaction_hash: hash })));
      await fixture.round(
        fixture.checker({ limits: { ...CHECK_LIMITS, perChain: 1 } }),
        fixture.checker({ limits: { ...CHECK_LIMITS, perChain: 1 } }),
      );
      await fixture.round(fixture.checker());
      const pair = (await fixture.states()).filter(({ id }) => id === one || id === other);
      expect(pair.map(({ state }) => state).sort()).toEqual(['unusable', 'verified']);
      expect(pair.find(({ state }) => state === 'unusable')?.reason).toBe('hash_already_processed');
    }
    expect(await fixture.db.query('select 1 from deposits')).toHaveLength(5);
    expect((await fixture.kinds()).filter((kind) => kind.startsWith('deposit.verified'))).toHaveLength(5);
  });

  it('to two partners pays the claim of each with what came to its own address', async () => {
    const [mine, theirs] = await Promise.all([1, 2].map(async (id) => fixture.addresses.ofPartner(id, 'evm')));
    if (!mine?.ok || !theirs?.ok) return never();
    const toMine = fixture.enoughOn('CELO');
    const { reader: scripted } = fixture.chains.get('CELO') ?? never();
    scripted.read = async (_, address) =>
      address === mine.value.address ? toMine : found({ at: fixture.clock.now(), transfers: [] });
    await fixture.take({ transactionId: 1, partner_id: 1, transaction_hash: hashOf(9) });
    await fixture.take({ transactionId: 2, partner_id: 2, transaction_hash: hashOf(9) });
    await fixture.round(fixture.checker());
    expect(await fixture.states()).toMatchObject([
      { state: 'verified' },
      { state: 'unusable', reason: 'no_matching_transfer' },
    ]);
    expect(mine.value.address).not.toBe(theirs.value.address);
  });

  it('of one hash on two chains is two', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    for (const [index, chain] of ['CELO', 'BNB'].entries()) {
      fixture.reader(chain).says(hashOf(7), fixture.enoughOn(chain));
      await fixture.take({ transactionId: index + 1, chain, transaction_hash: hashOf(7) });
    }
    await fixture.round(fixture.checker());
    expect(
      await fixture.db.query('select asset, received_minor::text as received from deposits order by asset'),
    ).toEqual([
      { asset: 'USDC@BNB', received: '10000000000000000000' },
      { asset: 'USDC@CELO', received: '10000000' },
    ]);
  });
});

describe('claims that come', () => {
  it('more than once are one', async () => {
    const event = awaitingDeposit({ transactionId: 1, acceptedAt: fixture.clock.now() });
    const intake = fixture.intake();
    await Promise.all([intake.run(event), intake.run(event), fixture.intake().run(event)]);
    await intake.run(event);
    // A new event id, as after a restore of the producer.
    await intake.run({ ...event, id: event.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')) });
    expect(await fixture.states()).toHaveLength(1);
    expect(await fixture.db.query('select 1 from inbox')).toHaveLength(2);
  });

  it.each([
    [{ chain: 'SOLANA' }],
    [{ chain: 'NOWHERE' }],
    [{ transaction_hash: hashOf(1).toUpperCase() }],
    [{ transaction_hash: hashOf(1).slice(2) }],
  ])('as %j can never be looked at: they go to the dead letters', async (facts) => {
    await expect(fixture.take({ transactionId: 1, ...facts })).rejects.toMatchObject({ name: 'PermanentEventError' });
  });

  it('while nobody looks are all looked at afterwards, also those whose deadline has passed', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    for (let id = 1; id <= 3; id += 1) await fixture.take({ transactionId: id });
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    fixture.reader().says(hashOf(2), { kind: 'trouble', reason: 'too few endpoints answered' });
    fixture.clock.advance(6 * 3_600_000);
    await fixture.round(fixture.checker());
    expect(await fixture.states()).toMatchObject([
      { state: 'verified' },
      { state: 'open' },
      { state: 'unusable', reason: 'no_matching_transfer' },
    ]);
  });
});

describe('a partner who claims more than can be looked at', () => {
  it('does not delay others: a new claim of another partner is checked next, however many are overdue', async () => {
    const flood = 2 * CHECK_LIMITS.perChain;
    await Promise.all(Array.from({ length: flood }, (_, n) => fixture.take({ transactionId: n + 1, partner_id: 66 })));
    const answers: (() => void)[] = [];
    for (let id = 1; id <= flood; id += 1)
      fixture
        .reader()
        .says(hashOf(id), () => new Promise((resolve) => answers.push(() => resolve({ kind: 'not_found' }))));
    const one = fixture.checker();
    await one.tick();
    await until(() => answers.length === CHECK_LIMITS.perChain, WITHIN);
    fixture.clock.advance(60_000);
    await fixture.addresses.ofPartner(1, 'evm');
    fixture.reader().says(hashOf(1_000), fixture.enoughOn('CELO'));
    await fixture.take({ transactionId: 1_000 });
    answers.shift()?.();
    await until(async () => {
      await one.tick();
      return (await fixture.states()).at(-1)?.state === 'verified';
    }, WITHIN);
    expect(
      fixture
        .reader()
        .reads.slice(CHECK_LIMITS.perChain)
        .map(({ transactionId }) => transactionId)[0],
    ).toBe(hashOf(1_000));
    while (answers.length > 0) answers.shift()?.();
    await one.drain();
  }, 30_000);

  it('gets all places if nobody else waits', async () => {
    for (let id = 1; id <= 2 * CHECK_LIMITS.perChain; id += 1)
      await fixture.take({ transactionId: id, partner_id: 66 });
    await fixture.round(fixture.checker());
    expect(fixture.reader().reads).toHaveLength(CHECK_LIMITS.perChain);
  });
});

describe('trouble', () => {
  it('ends no claim, however long it lasts, and raises an alarm; later answers count', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    fixture.reader().says(hashOf(1), { kind: 'trouble', reason: '1 of 2 endpoints agree' });
    await fixture.take({ transactionId: 1 });
    const pager = new StaleClaims(
      fixture.watch,
      new Switches(new SwitchStore(fixture.db), fixture.clock),
      new Set(['CELO', 'BNB']),
      fixture.clock,
      fixture.log,
    );
    for (let minute = 0; minute < 24 * 60; minute += 60) {
      await fixture.round(fixture.checker());
      fixture.clock.advance(60 * 60_000);
    }
    await pager.run();
    expect(await fixture.states()).toMatchObject([{ state: 'open' }]);
    expect(await fixture.kinds()).toEqual([]);
    expect(fixture.lines.find(({ code }) => code === 'claims_in_trouble')).toMatchObject({
      chain: 'CELO',
      claims: 1,
      minutes: 24 * 60,
      trouble: '1 of 2 endpoints agree',
    });
    fixture.reader().says(hashOf(1), found({ at: NOW, transfers: [{ token: usdcOn('CELO'), value: 10n ** 7n }] }));
    await fixture.round(fixture.checker());
    expect(await fixture.states()).toMatchObject([{ state: 'verified' }]);
    expect(await fixture.watch.troubledSince(fixture.clock.now())).toEqual([]);
  });

  it('is a chain that is not configured: its claims wait, nobody looks, and it is called out', async () => {
    fixture.chains.delete('BNB');
    await fixture.take({ transactionId: 1, chain: 'BNB' });
    await fixture.round(fixture.checker());
    expect(await fixture.states()).toMatchObject([{ state: 'open', fence: 0 }]);
    await new StaleClaims(
      fixture.watch,
      new Switches(new SwitchStore(fixture.db), fixture.clock),
      new Set(fixture.chains.keys()),
      fixture.clock,
      fixture.log,
    ).run();
    expect(fixture.alarms()).toEqual(['chain_not_served']);
  });

  it('is a reader that never answers, or throws; the claims of other chains do not wait for it', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    const stuck: ((sighting: Sighting) => void)[] = [];
    const count = CHECK_LIMITS.perChain + 5;
    for (let id = 1; id <= count; id += 1) {
      fixture.reader('BNB').says(hashOf(id), () => new Promise((resolve) => stuck.push(resolve)));
      await fixture.take({ transactionId: id, chain: 'BNB' });
    }
    fixture.reader('CELO').says(hashOf(99), fixture.enoughOn('CELO'));
    await fixture.take({ transactionId: 99 });
    const one = fixture.checker();
    await one.tick();
    await until(async () => (await fixture.states()).at(-1)?.state === 'verified', WITHIN);
    await one.tick();
    await until(() => stuck.length === CHECK_LIMITS.perChain, WITHIN);
    for (const answer of stuck) answer({ kind: 'not_found' });
    await one.drain();
    for (let id = 1; id < count; id += 1) fixture.reader('BNB').says(hashOf(id), { kind: 'not_found' });
    fixture.reader('BNB').says(hashOf(count), () => Promise.reject(new Error('a bug')));
    await fixture.round(one);
    expect((await fixture.states()).filter(({ state }) => state === 'open')).toHaveLength(count);
    expect(fixture.lines.filter(({ msg }) => String(msg).includes('a check of a claim failed'))).toHaveLength(1);
  });

  it('is a read that overruns its bound', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    fixture.reader().says(hashOf(1), () => new Promise(() => undefined));
    await fixture.take({ transactionId: 1 });
    await fixture.round(fixture.checker({ readMs: -999 }));
    expect(await fixture.db.query('select trouble from claims')).toEqual([{ trouble: 'no answer in time' }]);
  });

  it('is screening that cannot tell: nothing is recorded before it can', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    await fixture.take({ transactionId: 1 });
    await fixture.round(fixture.checker({ screening: { isHit: () => Promise.reject(new Error('away')) } }));
    expect(await fixture.kinds()).toEqual([]);
    fixture.clock.advance(CHECK_LIMITS.leaseMs);
    await fixture.round(fixture.checker());
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1']);
  });
});
