import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Problem } from '@vuka/domain';
import { until } from '@vuka/testing';

import { LedgerFixture, WITHIN, context, outcome } from './http-services.spec-support.js';

jest.setTimeout(30_000);

describe('calls over HTTP in trouble', () => {
  const fixture = new LedgerFixture();
  beforeEach(() => fixture.start());
  afterEach(() => fixture.stop());

  it('say that nothing was sent if no connection is accepted, for every waiting call', async () => {
    await fixture.link.cut();
    const failed = await Promise.all(
      Array.from({ length: 300 }, (_, n) => outcome(fixture.ledger.pay({ id: String(n) }, context()))),
    );
    expect(
      new Set(failed.map((error) => JSON.stringify([(error as Error).name, (error as { sent?: boolean }).sent]))),
    ).toEqual(new Set(['["ServiceUnavailableError",false]']));
    expect((failed[0] as Error).message).toBe('ledger: no connection (ECONNREFUSED)');
    expect(fixture.done).toEqual([]);
  });

  it('send an unrepeatable call once, and leave its outcome open if the answer is lost', async () => {
    fixture.link.mood = 'lose-answers';
    expect(await outcome(fixture.ledger.pay({ id: 'a' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: true,
    });
    expect(fixture.done).toEqual(['a']);
  });

  it('repeat an idempotent call once, over a new connection', async () => {
    let release: () => void = () => undefined;
    fixture.handle = (id) => (id === 'held' ? new Promise((resolve) => (release = resolve)) : Promise.resolve());
    const held = fixture.ledger.find({ id: 'held' }, context());
    await until(() => fixture.times('held') === 1, { ...WITHIN, what: 'the held call' });
    fixture.handle = async () => {
      if (fixture.times('a') === 1) {
        release();
        await held;
      }
      fixture.link.mood = fixture.times('a') === 1 ? 'lose-answers' : 'pass';
    };
    expect(await fixture.ledger.find({ id: 'a' }, context())).toEqual({ ok: true, value: { did: 'a' } });
    expect(fixture.times('a')).toBe(2);
    expect(fixture.link.sent.map((bytes) => bytes.split('POST ').length - 1)).toEqual([1, 1, 1]);
  });

  it('do not try a third time, and remember that the first may have been done', async () => {
    fixture.link.mood = 'lose-answers';
    expect(await outcome(fixture.ledger.find({ id: 'a' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: true,
    });
    expect(fixture.done).toEqual(['a', 'a']);
    fixture.link.mood = 'pass';
    fixture.handle = async (id) => (id === 'b' ? fixture.link.cut() : undefined);
    const lost = await outcome(fixture.ledger.find({ id: 'b' }, context()));
    expect(lost).toMatchObject({
      name: 'ServiceUnavailableError',
      message: 'ledger: no connection (ECONNREFUSED)',
      sent: true,
    });
    expect(fixture.times('b')).toBe(1);
  });

  it('do not treat a refused second try as the final outcome, because the first may still commit', async () => {
    const poor: Problem = { code: 'insufficient_balance', message: 'The wallet does not cover it' };
    fixture.handle = async (id) => {
      fixture.link.mood = fixture.times(id) === 1 ? 'lose-answers' : 'pass';
      return fixture.times(id) === 1 ? undefined : poor;
    };
    expect(await outcome(fixture.ledger.accept({ id: 'a' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: true,
    });
    expect(fixture.times('a')).toBe(2);
    // A read may report the second attempt; a first refusal is final.
    expect(await fixture.ledger.find({ id: 'b' }, context())).toEqual({ ok: false, error: poor });
    fixture.handle = async () => poor;
    expect(await fixture.ledger.accept({ id: 'c' }, context())).toEqual({ ok: false, error: poor });
  });

  it('are never silently sent a second time, whenever the connection goes', async () => {
    const turns = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) await new Promise(setImmediate);
    };
    const seen = new Set<string>();
    for (let round = 0; round < 120; round++) {
      const id = String(round);
      await outcome(fixture.ledger.find({ id: `warm ${id}` }, context()));
      if (round % 2 === 0) fixture.link.drop();
      await turns(round % 3);
      const paid = outcome(fixture.ledger.pay({ id }, context()));
      await turns(round % 8);
      if (round % 2 === 1) fixture.link.drop();
      const result = (await paid) as { ok?: boolean; sent?: boolean };
      await until(() => fixture.link.open === 0 || result.ok === true || fixture.link.open <= 2, {
        ...WITHIN,
        what: 'the end of the connection',
      });
      const told = result.ok === true ? 'done' : result.sent === true ? 'open' : 'not done';
      seen.add(told);
      expect(fixture.times(id)).toBeLessThanOrEqual(1);
      if (told === 'done') expect(fixture.times(id)).toBe(1);
      if (told === 'not done') expect(fixture.times(id)).toBe(0);
      if (round % 4 === 3) {
        await fixture.services.close();
        fixture.ledger = fixture.use(fixture.link.url);
      }
    }
    expect([...seen].sort()).toEqual(expect.arrayContaining(['done', 'open']));
  });

  it('survive a connection that the other side closed while it was idle', async () => {
    for (let n = 0; n < 20; n++) {
      expect(await fixture.ledger.find({ id: `idle ${String(n)}` }, context())).toMatchObject({ ok: true });
      fixture.link.drop();
      expect(await fixture.ledger.find({ id: `again ${String(n)}` }, context())).toMatchObject({ ok: true });
    }
  });
});
