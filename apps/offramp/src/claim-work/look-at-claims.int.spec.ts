import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Sighting } from '@vuka/domain';
import { armCrashPoint, type CrashPoint } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { PageByAge } from '../alerts/page-by-age.js';
import { SwitchStore } from '../switches/switch.store.js';
import { Switches } from '../switches/switches.js';
import { LookScene, never, NOW, usdcOn } from '../testing/look-scene.spec-support.js';
import { awaitingDeposit, found, hashOf } from '../testing/offramp.spec-support.js';
import { LOOK_LIMITS } from './look-at-claims.js';

const WITHIN = { withinMs: 10_000, what: 'it comes to that' };

let scene: LookScene;

beforeAll(async () => {
  scene = await LookScene.open();
}, 60_000);

afterAll(() => scene.close());

beforeEach(() => scene.reset());

describe('a process that dies', () => {
  it.each<[CrashPoint, number]>([
    ['offramp.before-verdict', 2],
    ['offramp.after-verdict', 1],
  ])('at %s leaves one verdict and one deposit, whoever looks next', async (point, looks) => {
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    await scene.addresses.ofPartner(1, 'evm');
    await scene.take({ transactionId: 1 });
    armCrashPoint({ point, time: 1 }, () => {
      throw new Error('dead');
    });
    await scene.round(scene.looker());
    armCrashPoint(undefined);
    scene.clock.advance(LOOK_LIMITS.leaseMs - 1);
    await scene.round(scene.looker());
    expect(scene.reader().reads).toHaveLength(1);
    scene.clock.advance(1);
    await scene.round(scene.looker());
    expect(scene.reader().reads).toHaveLength(looks);
    expect(await scene.states()).toEqual([{ id: 1, state: 'verified', reason: null, fence: looks }]);
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1']);
    expect(await scene.db.query('select 1 from deposits')).toHaveLength(1);
  });

  it('or only sleeps: what it says afterwards is dropped', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    await scene.take({ transactionId: 1 });
    let wakeUp: (sighting: Sighting) => void = never;
    scene.reader().says(hashOf(1), () => new Promise((resolve) => (wakeUp = resolve)));
    const slow = scene.looker();
    await slow.tick();
    await until(() => wakeUp !== never, WITHIN);
    scene.clock.advance(LOOK_LIMITS.leaseMs);
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    await scene.round(scene.looker());
    wakeUp(found({ at: NOW, transfers: [] }));
    await slow.drain();
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1']);
    expect(await scene.states()).toMatchObject([{ state: 'verified', fence: 2 }]);
    expect(scene.lines.some(({ msg }) => String(msg).includes('longer than its lease'))).toBe(true);
  });

  it('or only sleeps on a look that ends nothing: the next look stands', async () => {
    await scene.take({ transactionId: 1 });
    let wakeUp: (sighting: Sighting) => void = never;
    scene.reader().says(hashOf(1), () => new Promise((resolve) => (wakeUp = resolve)));
    const slow = scene.looker();
    await slow.tick();
    await until(() => wakeUp !== never, WITHIN);
    scene.clock.advance(LOOK_LIMITS.leaseMs);
    scene.reader().says(hashOf(1), { kind: 'not_found' });
    await scene.round(scene.looker());
    const [before] = await scene.db.query('select next_look_at, trouble from claims');
    wakeUp({ kind: 'trouble', reason: 'late' });
    await slow.drain();
    expect(await scene.db.query('select next_look_at, trouble from claims')).toEqual([before]);
  });
});

describe('several processes', () => {
  it('share what is due: each claim is looked at once', async () => {
    const count = 100;
    await scene.addresses.ofPartner(1, 'evm');
    for (let id = 1; id <= count; id += 1) scene.reader().says(hashOf(id), scene.enoughOn('CELO'));
    await Promise.all(Array.from({ length: count }, (_, n) => scene.take({ transactionId: n + 1 })));
    const processes = [scene.looker(), scene.looker(), scene.looker()];
    await until(async () => {
      await scene.round(...processes);
      return (await scene.states()).every(({ state }) => state === 'verified');
    }, WITHIN);
    expect(scene.reader().reads).toHaveLength(count);
    expect(await scene.kinds()).toHaveLength(count);
    expect(await scene.db.query('select 1 from deposits')).toHaveLength(count);
  });
});

describe('one transfer', () => {
  it('pays one of two claims that are judged at the same time; the other is told that it is used', async () => {
    for (let time = 0; time < 5; time += 1) {
      const [one, other, hash] = [2 * time + 1, 2 * time + 2, hashOf(1_000 + time)];
      scene.reader().says(hash, scene.enoughOn('CELO'));
      await scene.addresses.ofPartner(1, 'evm');
      await Promise.all([one, other].map((transactionId) => scene.take({ transactionId, transaction_hash: hash })));
      await scene.round(
        scene.looker({ limits: { ...LOOK_LIMITS, perChain: 1 } }),
        scene.looker({ limits: { ...LOOK_LIMITS, perChain: 1 } }),
      );
      await scene.round(scene.looker());
      const pair = (await scene.states()).filter(({ id }) => id === one || id === other);
      expect(pair.map(({ state }) => state).sort()).toEqual(['unusable', 'verified']);
      expect(pair.find(({ state }) => state === 'unusable')?.reason).toBe('hash_already_processed');
    }
    expect(await scene.db.query('select 1 from deposits')).toHaveLength(5);
    expect((await scene.kinds()).filter((kind) => kind.startsWith('deposit.verified'))).toHaveLength(5);
  });

  it('to two partners pays the claim of each with what came to its own address', async () => {
    const [mine, theirs] = await Promise.all([1, 2].map(async (id) => scene.addresses.ofPartner(id, 'evm')));
    if (!mine?.ok || !theirs?.ok) return never();
    const toMine = scene.enoughOn('CELO');
    const { reader: scripted } = scene.chains.get('CELO') ?? never();
    scripted.read = async (_, address) =>
      address === mine.value.address ? toMine : found({ at: scene.clock.now(), transfers: [] });
    await scene.take({ transactionId: 1, partner_id: 1, transaction_hash: hashOf(9) });
    await scene.take({ transactionId: 2, partner_id: 2, transaction_hash: hashOf(9) });
    await scene.round(scene.looker());
    expect(await scene.states()).toMatchObject([
      { state: 'verified' },
      { state: 'unusable', reason: 'no_matching_transfer' },
    ]);
    expect(mine.value.address).not.toBe(theirs.value.address);
  });

  it('of one hash on two chains is two', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    for (const [index, chain] of ['CELO', 'BNB'].entries()) {
      scene.reader(chain).says(hashOf(7), scene.enoughOn(chain));
      await scene.take({ transactionId: index + 1, chain, transaction_hash: hashOf(7) });
    }
    await scene.round(scene.looker());
    expect(await scene.db.query('select asset, received_minor::text as received from deposits order by asset')).toEqual(
      [
        { asset: 'USDC@BNB', received: '10000000000000000000' },
        { asset: 'USDC@CELO', received: '10000000' },
      ],
    );
  });
});

describe('claims that come', () => {
  it('more than once are one', async () => {
    const event = awaitingDeposit({ transactionId: 1, acceptedAt: scene.clock.now() });
    const intake = scene.intake();
    await Promise.all([intake.run(event), intake.run(event), scene.intake().run(event)]);
    await intake.run(event);
    // Told anew under another id, as after a restore of the producer.
    await intake.run({ ...event, id: event.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')) });
    expect(await scene.states()).toHaveLength(1);
    expect(await scene.db.query('select 1 from inbox')).toHaveLength(2);
  });

  it.each([
    [{ chain: 'SOLANA' }],
    [{ chain: 'NOWHERE' }],
    [{ transaction_hash: hashOf(1).toUpperCase() }],
    [{ transaction_hash: hashOf(1).slice(2) }],
  ])('as %j can never be looked at: they go to the dead letters', async (facts) => {
    await expect(scene.take({ transactionId: 1, ...facts })).rejects.toMatchObject({ name: 'PermanentEventError' });
  });

  it('while nobody looks are all looked at afterwards, also those whose deadline has passed', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    for (let id = 1; id <= 3; id += 1) await scene.take({ transactionId: id });
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    scene.reader().says(hashOf(2), { kind: 'trouble', reason: 'too few endpoints answered' });
    scene.clock.advance(6 * 3_600_000);
    await scene.round(scene.looker());
    expect(await scene.states()).toMatchObject([
      { state: 'verified' },
      { state: 'open' },
      { state: 'unusable', reason: 'no_matching_transfer' },
    ]);
  });
});

describe('a partner who claims more than can be looked at', () => {
  it('keeps no other waiting: each new claim of another is the next that is looked at, however many are overdue', async () => {
    const flood = 2 * LOOK_LIMITS.perChain;
    await Promise.all(Array.from({ length: flood }, (_, n) => scene.take({ transactionId: n + 1, partner_id: 66 })));
    const answers: (() => void)[] = [];
    for (let id = 1; id <= flood; id += 1)
      scene
        .reader()
        .says(hashOf(id), () => new Promise((resolve) => answers.push(() => resolve({ kind: 'not_found' }))));
    const one = scene.looker();
    await one.tick();
    await until(() => answers.length === LOOK_LIMITS.perChain, WITHIN);
    scene.clock.advance(60_000);
    await scene.addresses.ofPartner(1, 'evm');
    scene.reader().says(hashOf(1_000), scene.enoughOn('CELO'));
    await scene.take({ transactionId: 1_000 });
    // One look of the others ends: one place is free.
    answers.shift()?.();
    await until(async () => {
      await one.tick();
      return (await scene.states()).at(-1)?.state === 'verified';
    }, WITHIN);
    expect(
      scene
        .reader()
        .reads.slice(LOOK_LIMITS.perChain)
        .map(({ transactionId }) => transactionId)[0],
    ).toBe(hashOf(1_000));
    while (answers.length > 0) answers.shift()?.();
    await one.drain();
  }, 30_000);

  it('has all places where nobody else waits', async () => {
    for (let id = 1; id <= 2 * LOOK_LIMITS.perChain; id += 1) await scene.take({ transactionId: id, partner_id: 66 });
    await scene.round(scene.looker());
    expect(scene.reader().reads).toHaveLength(LOOK_LIMITS.perChain);
  });
});

describe('trouble', () => {
  it('ends nothing, however long it lasts, and is called out; what comes after it counts', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    scene.reader().says(hashOf(1), { kind: 'trouble', reason: '1 of 2 endpoints agree' });
    await scene.take({ transactionId: 1 });
    const pager = new PageByAge(
      scene.watch,
      new Switches(new SwitchStore(scene.db), scene.clock),
      new Set(['CELO', 'BNB']),
      scene.clock,
      scene.log,
    );
    for (let minute = 0; minute < 24 * 60; minute += 60) {
      await scene.round(scene.looker());
      scene.clock.advance(60 * 60_000);
    }
    await pager.run();
    expect(await scene.states()).toMatchObject([{ state: 'open' }]);
    expect(await scene.kinds()).toEqual([]);
    expect(scene.lines.find(({ code }) => code === 'claims_in_trouble')).toMatchObject({
      chain: 'CELO',
      claims: 1,
      minutes: 24 * 60,
      trouble: '1 of 2 endpoints agree',
    });
    scene.reader().says(hashOf(1), found({ at: NOW, transfers: [{ token: usdcOn('CELO'), value: 10n ** 7n }] }));
    await scene.round(scene.looker());
    expect(await scene.states()).toMatchObject([{ state: 'verified' }]);
    expect(await scene.watch.troubledSince(scene.clock.now())).toEqual([]);
  });

  it('is a chain that is not configured: its claims wait, nobody looks, and it is called out', async () => {
    scene.chains.delete('BNB');
    await scene.take({ transactionId: 1, chain: 'BNB' });
    await scene.round(scene.looker());
    expect(await scene.states()).toMatchObject([{ state: 'open', fence: 0 }]);
    await new PageByAge(
      scene.watch,
      new Switches(new SwitchStore(scene.db), scene.clock),
      new Set(scene.chains.keys()),
      scene.clock,
      scene.log,
    ).run();
    expect(scene.alarms()).toEqual(['chain_not_served']);
  });

  it('is a reader that never answers, or throws; the claims of other chains do not wait for it', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    const stuck: ((sighting: Sighting) => void)[] = [];
    const count = LOOK_LIMITS.perChain + 5;
    for (let id = 1; id <= count; id += 1) {
      scene.reader('BNB').says(hashOf(id), () => new Promise((resolve) => stuck.push(resolve)));
      await scene.take({ transactionId: id, chain: 'BNB' });
    }
    scene.reader('CELO').says(hashOf(99), scene.enoughOn('CELO'));
    await scene.take({ transactionId: 99 });
    const one = scene.looker();
    await one.tick();
    await until(async () => (await scene.states()).at(-1)?.state === 'verified', WITHIN);
    await one.tick();
    await until(() => stuck.length === LOOK_LIMITS.perChain, WITHIN);
    for (const answer of stuck) answer({ kind: 'not_found' });
    await one.drain();
    for (let id = 1; id < count; id += 1) scene.reader('BNB').says(hashOf(id), { kind: 'not_found' });
    scene.reader('BNB').says(hashOf(count), () => Promise.reject(new Error('a bug')));
    await scene.round(one);
    expect((await scene.states()).filter(({ state }) => state === 'open')).toHaveLength(count);
    expect(scene.lines.filter(({ msg }) => String(msg).includes('a look at a claim failed'))).toHaveLength(1);
  });

  it('is a read that overruns its bound', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    scene.reader().says(hashOf(1), () => new Promise(() => undefined));
    await scene.take({ transactionId: 1 });
    await scene.round(scene.looker({ readMs: -999 }));
    expect(await scene.db.query('select trouble from claims')).toEqual([{ trouble: 'no answer in time' }]);
  });

  it('is screening that cannot tell: nothing is recorded before it can', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    await scene.take({ transactionId: 1 });
    await scene.round(scene.looker({ screening: { isHit: () => Promise.reject(new Error('away')) } }));
    expect(await scene.kinds()).toEqual([]);
    scene.clock.advance(LOOK_LIMITS.leaseMs);
    await scene.round(scene.looker());
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1']);
  });
});
