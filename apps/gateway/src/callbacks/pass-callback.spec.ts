import { describe, expect, it } from '@jest/globals';
import { fail, ok, type Result } from '@vuka/domain';
import { newCallContext, TokenBuckets } from '@vuka/http';
import { createLogger, ManualClock } from '@vuka/runtime';

import { RateLimits } from '../limits/rate-limits.js';
import { PassApproval } from './pass-approval.js';
import { PassCallback, type SentCallback } from './pass-callback.js';
import { MOST_UNDER_WAY } from './provider-door.js';

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

  it('are counted by path once that is known, so that no guesses of others keep its provider away', async () => {
    const clock = new ManualClock(new Date());
    const limits = new RateLimits(
      { rateLimits: { partner: null, lookups: null, failedAuth: null } },
      new TokenBuckets(clock),
    );
    const taken = async ({ token }: { token: string }): Promise<Taken> =>
      token === SENT.token ? ok({ answer: '{}' }) : fail({ code: 'not_found', message: '' });
    const passing = new PassCallback({ takeCallback: taken }, limits, log);
    const codeOf = (answer: Result<string>): string => (answer.ok ? 'ok' : answer.error.code);
    const guess = async (place: number): Promise<string> =>
      codeOf(await passing.run({ ...SENT, token: String(place).padStart(32, '0') }, SENDER));
    expect(codeOf(await passing.run(SENT, SENDER))).toBe('ok');
    const guesses = new Set<string>();
    for (let place = 0; place < 5_000; place += 1) guesses.add(await guess(place));
    expect([guesses, codeOf(await passing.run(SENT, SENDER))]).toEqual([new Set(['not_found', 'rate_limited']), 'ok']);
    const own = new Set<string>();
    for (let times = 0; times < 5_000; times += 1) own.add(codeOf(await passing.run(SENT, SENDER)));
    expect(own).toEqual(new Set(['ok', 'rate_limited']));
    clock.advance(60_000);
    expect([await guess(0), codeOf(await passing.run(SENT, SENDER))]).toEqual(['not_found', 'ok']);
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

  it('never keep questions for approval away: those have their own places', async () => {
    const held: (() => void)[] = [];
    const passing = new PassCallback(
      { takeCallback: () => new Promise((resolve) => held.push(() => resolve(ok({ answer: '{}' })))) },
      { countCallback: async () => null },
      log,
    );
    const waiting = Array.from({ length: MOST_UNDER_WAY }, () => passing.run(SENT, SENDER));
    await new Promise(setImmediate);
    const answer = { status: 200, content_type: 'text/plain', body: '' };
    const asking = new PassApproval(
      { answerApproval: async () => ok(answer) },
      { countCallback: async () => null },
      log,
    );
    expect(await asking.run(SENT, SENDER)).toEqual(ok(answer));
    for (const release of held) release();
    await Promise.all(waiting);
  });
});
