import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainHeights, Sighting } from '@vuka/domain';
import { until } from '@vuka/testing';

import { StaleClaims } from '../alerts/stale-claims.js';
import { CheckFixture } from '../testing/check-fixture.spec-support.js';
import type { ScriptedReader } from '../testing/offramp.spec-support.js';
import {
  chainSays,
  depositRows,
  GONE,
  paidShallow,
  PAST,
  recheckerOf,
  recheckRound,
  recheckRounds,
  SHALLOW,
  tenOn,
} from './recheck-fixture.spec-support.js';

const WITHIN = { withinMs: 10_000, what: 'it comes to that' };
let fixture: CheckFixture;

beforeAll(async () => {
  fixture = await CheckFixture.open();
}, 60_000);
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

const rounds = (count: number): Promise<void> => recheckRounds(fixture, count);
const says = (id: number, sighting: Sighting, heights?: ChainHeights, chain?: string): void =>
  chainSays(fixture, id, sighting, heights, chain);

describe('what endpoints have forgotten takes nothing back', () => {
  const SAME = { kind: 'block', hash: `0x${'b'.repeat(64)}` } as const;

  it('where the chain has its block still: somebody is called, once, until they tell of it again', async () => {
    await paidShallow(fixture, 1);
    says(1, GONE, PAST);
    fixture.reader().tellsBlock = SAME;
    // A busy database may break off a check; the next one raises the alarm.
    await until(() => rounds(1).then(() => fixture.alarms().length > 0), WITHIN);
    await rounds(5);
    expect(fixture.alarms()).toEqual(['deposit_untold']);
    expect(await depositRows(fixture)).toMatchObject([{ missing: false, final: false, due: true }]);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1']);
    says(1, tenOn('CELO', PAST, fixture.clock.now()));
    await until(() => rounds(1).then(async () => (await depositRows(fixture))[0]?.final), WITHIN);
    expect(await depositRows(fixture)).toMatchObject([{ final: true, due: false }]);
  }, 20_000);

  it('also where they tell less of the same block than before', async () => {
    await paidShallow(fixture, 1);
    says(1, tenOn('CELO', PAST, fixture.clock.now(), { value: 9_999_999n }));
    await rounds(5);
    expect([fixture.alarms(), await fixture.kinds()]).toEqual([['deposit_untold'], ['deposit.verified 1_1']]);
  });

  it('and what was untold at first goes as any other once its block has: by two looks', async () => {
    await paidShallow(fixture, 1);
    says(1, GONE, PAST);
    fixture.reader().tellsBlock = SAME;
    await rounds(3);
    fixture.reader().tellsBlock = { kind: 'block', hash: null };
    await rounds(1);
    expect(await depositRows(fixture)).toMatchObject([{ missing: true }]);
    await rounds(1);
    expect(fixture.alarms()).toEqual(['deposit_untold', 'deposit_vanished', 'deposit_reverted']);
  });

  it.each<[string, (reader: ScriptedReader) => unknown]>([
    [
      'where one endpoint has it in a block',
      (reader) => (reader.readByAll = async () => ({ kind: 'trouble', reason: '1 seen' })),
    ],
    [
      'where it is found when all are asked',
      (reader) => (reader.readByAll = async () => tenOn('CELO', SHALLOW, fixture.clock.now())),
    ],
    [
      'where its block has been pruned',
      (reader) => (reader.tellsBlock = { kind: 'trouble', reason: '2 no such block' }),
    ],
    [
      'where nobody says in time which block there is',
      (reader) => (reader.blockAt = () => new Promise(() => undefined)),
    ],
  ])('%s', async (_what, hurt) => {
    await paidShallow(fixture, 1);
    says(1, GONE, PAST);
    hurt(fixture.reader());
    fixture.clock.advance(60_000);
    await recheckRound(recheckerOf(fixture, 1));
    expect(await depositRows(fixture)).toMatchObject([{ missing: false, due: true }]);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1']);
  });
});

describe('trouble takes nothing back', () => {
  it.each<[string, Sighting, ChainHeights | undefined]>([
    ['endpoints that disagree', { kind: 'trouble', reason: '1 of 2 endpoints agree' }, PAST],
    ['too few that tell how far the chain is', GONE, undefined],
    ['finality that stands still', GONE, { latest: 10_000, safe: 99, finalized: 99 }],
    ['a chain that tells no finality', GONE, { latest: 10_000, safe: null, finalized: null }],
  ])('%s', async (_what, sighting, heights) => {
    await paidShallow(fixture, 1);
    says(1, sighting);
    fixture.reader().tellsHeights = heights;
    await rounds(60);
    expect(await depositRows(fixture)).toMatchObject([{ final: false, due: true }]);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1']);
  });

  it('and a chain that is switched off is not asked, until it is on again', async () => {
    await paidShallow(fixture, 1);
    says(1, GONE, PAST);
    await fixture.db.query(
      `insert into switches (chain, off_since, reason, off_by) values ('CELO', $1, 'endpoints lie', 'Ann')`,
      [fixture.clock.now()],
    );
    const { length } = fixture.reader().reads;
    await rounds(5);
    expect([fixture.reader().reads.length, fixture.alarms()]).toEqual([length, []]);
    await fixture.db.query('truncate switches');
    await rounds(2);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2']);
  });

  it.each(['first', 'second'])(
    'and what a chain said that is switched off while the %s look at a missing deposit goes on is not believed',
    async (which) => {
      await paidShallow(fixture, 1);
      says(1, GONE, PAST);
      if (which === 'second') await rounds(1);
      const reader = fixture.reader();
      reader.blockAt = async () => {
        await fixture.db.query(
          `insert into switches (chain, off_since, reason, off_by) values ('CELO', $1, 'endpoints lie', 'Ann')`,
          [fixture.clock.now()],
        );
        fixture.clock.advance(1_000);
        return reader.tellsBlock;
      };
      const alarms = fixture.alarms();
      await rounds(1);
      expect(fixture.alarms()).toEqual(alarms);
      expect(await depositRows(fixture)).toMatchObject([{ missing: which === 'second', due: true }]);
      expect(await fixture.kinds()).toEqual(['deposit.verified 1_1']);
    },
  );

  it('and is called out by its age, chain by chain', async () => {
    await paidShallow(fixture, 1);
    fixture.clock.advance(59 * 60_000);
    const pager = new StaleClaims(
      fixture.watch,
      { all: async () => [] },
      new Set(['CELO', 'BNB']),
      fixture.clock,
      fixture.log,
    );
    await pager.run();
    expect(fixture.alarms()).toEqual([]);
    fixture.clock.advance(60_000);
    await pager.run();
    expect(fixture.lines.find(({ code }) => code === 'deposits_not_final')).toMatchObject({
      chain: 'CELO',
      deposits: 1,
      minutes: 60,
    });
  });
});
