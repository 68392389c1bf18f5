import { describe, expect, it } from '@jest/globals';
import { fail, ok, type Result } from '@vuka/domain';
import { newCallContext } from '@vuka/http';
import { createLogger } from '@vuka/runtime';

import { MOST_UNDER_WAY, PassCallback, type SentCallback } from './pass-callback.js';

const log = createLogger('pass-callback-test', { level: 'silent' });
const SENT: SentCallback = {
  provider: 'pawapay',
  token: 'a1'.repeat(32),
  attemptToken: null,
  method: 'POST',
  host: 'vuka.example.com',
  path: '/callbacks/pawapay/a1',
  rawHeaders: [],
  body: Buffer.alloc(0),
};
const SENDER = { address: '192.0.2.1', context: newCallContext() };

type Taken = Result<{ answer: string }>;

describe('callbacks that are passed on', () => {
  it('are so many at a time; more are told to come again', async () => {
    const held: ((taken: Taken) => void)[] = [];
    const takeCallback = (): Promise<Taken> => new Promise((resolve) => held.push(resolve));
    const passing = new PassCallback({ takeCallback }, { countCallback: async () => null }, log);
    const waiting = Array.from({ length: MOST_UNDER_WAY }, () => passing.run(SENT, SENDER));
    await new Promise(setImmediate);
    expect(held.length).toBe(MOST_UNDER_WAY);
    expect(await passing.run(SENT, SENDER)).toMatchObject({ ok: false, error: { code: 'service_unavailable' } });
    for (const [place, release] of held.entries())
      release(place === 0 ? fail({ code: 'not_found', message: '' }) : ok({ answer: '{}' }));
    const answers = await Promise.all(waiting);
    expect(answers.filter(({ ok: isOk }) => isOk).length).toBe(MOST_UNDER_WAY - 1);
    const again = passing.run(SENT, SENDER);
    await new Promise(setImmediate);
    held.at(-1)?.(ok({ answer: '{}' }));
    expect(await again).toEqual(ok('{}'));
  });

  it('carry two hundred headers at most', async () => {
    const headers: (readonly string[])[] = [];
    const passing = new PassCallback(
      {
        takeCallback: async (input) => {
          headers.push(...input.headers);
          return ok({ answer: '{}' });
        },
      },
      { countCallback: async () => null },
      log,
    );
    const rawHeaders = Array.from({ length: 1_001 }, (_, place) => String(place));
    expect(await passing.run({ ...SENT, rawHeaders }, SENDER)).toEqual(ok('{}'));
    expect([headers.length, headers[0], headers.at(-1)]).toEqual([200, ['0', '1'], ['398', '399']]);
  });
});
