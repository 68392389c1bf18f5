import { beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings, type RequestRate } from '@vuka/config';
import type { CallContext, ResolvedName } from '@vuka/contracts';
import type { LookupDestination, Result } from '@vuka/domain';
import { TokenBuckets } from '@vuka/http';
import type { NameAnswer } from '@vuka/payouts';
import { Cipher, createLogger, ManualClock } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { AskProviders } from './ask-providers.js';
import { MemoryNameCache } from './name-cache.js';
import { PredictNetwork } from './predict-network.js';
import { ResolveName, type ResolveNameInput } from './resolve-name.js';
import { expectUnknown, heldAnswer, NamingProvider } from './resolve-name.spec-support.js';

const cipher = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
const START = new Date('2026-11-21T10:00:00Z');
const PHONE = {
  kind: 'mobile',
  phone: '+254712345678',
  mobile_network: 'Safaricom',
} as const satisfies LookupDestination;
const MARY: NameAnswer = { outcome: 'found', name: 'MARY WANJIKU' };
const DOWN: NameAnswer = { outcome: 'failed', detail: 'ECONNREFUSED' };
const VERIFIED = { status: 'COMPLETE', verified: true, name: 'MARY WANJIKU', name_match: null };

let clock: ManualClock;
let lines: string[];
beforeEach(() => {
  clock = new ManualClock(START);
  lines = [];
});

const SIXTY = { ratePerS: 1, burst: 60 };

function limitedResolverOf(perDestination: RequestRate | null, ...providers: NamingProvider[]): ResolveName {
  const log = createLogger('validation', { destination: { write: (line) => void lines.push(line) } });
  const settings = loadSettings({});
  return new ResolveName(
    new AskProviders(providers, new PredictNetwork(providers, clock, log), clock, log),
    new MemoryNameCache(clock),
    new TokenBuckets(clock),
    cipher,
    clock,
    { ...settings, rateLimits: { ...settings.rateLimits, destination: perDestination } },
  );
}

const resolverOf = (...providers: NamingProvider[]): ResolveName => limitedResolverOf(SIXTY, ...providers);

const within = (ms: number): CallContext => ({
  requestId: 'r',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`,
  deadline: clock.now().getTime() + ms,
});

function ask(
  resolver: ResolveName,
  input: Partial<ResolveNameInput> = {},
  context = within(2_000),
): Promise<Result<ResolvedName>> {
  return resolver.run({ partner_id: 1, currency: 'KES', destination: PHONE, account_name: null, ...input }, context);
}

describe('what a provider says of a name', () => {
  it.each<[NameAnswer, Omit<ResolvedName, 'name_match'>]>([
    [MARY, { status: 'COMPLETE', verified: true, name: 'MARY WANJIKU' }],
    [{ outcome: 'not_found' }, { status: 'FAILED', verified: false, name: '' }],
    [{ outcome: 'cannot_tell' }, { status: 'COMPLETE', verified: false, name: '' }],
  ])('%j is told as it is', async (answer, told) => {
    const provider = new NamingProvider(() => answer);
    expect(await ask(resolverOf(provider))).toEqual({ ok: true, value: { ...told, name_match: null } });
    expect(provider.asked).toEqual([
      { currency: 'KES', destination: PHONE, traceparent: within(0).traceparent, timeoutMs: 1_500 },
    ]);
  });

  it.each<[NameAnswer, string, string]>([
    [MARY, 'Wanjiku, Mary', 'exact'],
    [MARY, 'Mary Akinyi', 'partial'],
    [MARY, 'Peter Otieno', 'none'],
    [{ outcome: 'not_found' }, 'Mary Wanjiku', 'none'],
    [{ outcome: 'cannot_tell' }, 'Mary Wanjiku', 'none'],
  ])('%j, asked with %j: %s', async (answer, account_name, name_match) => {
    expect(await ask(resolverOf(new NamingProvider(() => answer)), { account_name })).toMatchObject({
      ok: true,
      value: { name_match },
    });
  });

  it('a silent provider gives no name, and nothing is guessed', async () => {
    expectUnknown(await ask(resolverOf(new NamingProvider(() => DOWN)), { account_name: 'Mary Wanjiku' }));
  });

  it('without a provider that knows names, nothing is known', async () => {
    expect(await ask(resolverOf())).toEqual({
      ok: true,
      value: { status: 'COMPLETE', verified: false, name: '', name_match: null },
    });
  });

  it('a thrown error is a bug: only the log gets it, and the next question is asked again', async () => {
    const provider = new NamingProvider(() => Promise.reject(new TypeError('ours')));
    const resolver = resolverOf(provider);
    expectUnknown(await ask(resolver));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'error', provider: 'sandbox', currency: 'KES', kind: 'mobile', err: { message: 'ours' } },
    ]);
    provider.answers = () => MARY;
    expect(await ask(resolver)).toEqual({ ok: true, value: VERIFIED });
  });
});

describe('several providers', () => {
  it('the next one is asked only if the one before did not answer', async () => {
    const [first, second] = [new NamingProvider(() => DOWN), new NamingProvider(() => MARY, 'sandbox_b')];
    const resolver = resolverOf(first, second);
    expect(await ask(resolver)).toEqual({ ok: true, value: VERIFIED });
    first.answers = () => ({ outcome: 'not_found' });
    expect(await ask(resolver, { destination: { ...PHONE, phone: '+254712345670' } })).toMatchObject({
      ok: true,
      value: { status: 'FAILED' },
    });
    expect([first.asked.length, second.asked.length]).toEqual([2, 1]);
  });

  it.each<[string, NameAnswer, object]>([
    ['tells it', MARY, { ok: true, value: VERIFIED }],
    [
      'knows that there is nobody',
      { outcome: 'not_found' },
      { ok: true, value: { status: 'FAILED', verified: false, name: '' } },
    ],
    [
      'cannot tell either',
      { outcome: 'cannot_tell' },
      { ok: true, value: { status: 'COMPLETE', verified: false, name: '' } },
    ],
    ['is away', DOWN, { ok: true, value: { status: 'COMPLETE', verified: false, name: '' } }],
  ])('the next one is asked what the first cannot tell, and %s', async (_, answer, told) => {
    expect(
      await ask(
        resolverOf(new NamingProvider(() => ({ outcome: 'cannot_tell' })), new NamingProvider(() => answer, 'b')),
      ),
    ).toMatchObject(told);
  });

  it('share the time: each gets what the one before has left, and none is asked when it is over', async () => {
    const takes = (ms: number) => (): NameAnswer => {
      clock.advance(ms);
      return DOWN;
    };
    const providers = [
      new NamingProvider(takes(600)),
      new NamingProvider(takes(880), 'b'),
      new NamingProvider(() => MARY, 'c'),
    ];
    expectUnknown(await ask(resolverOf(...providers)));
    expect(providers.map(({ asked }) => asked.map(({ timeoutMs }) => timeoutMs))).toEqual([[1_500], [900], []]);
  });
});

describe('a provider that does not help', () => {
  const HANGING = new Promise<NameAnswer>(() => undefined);
  const providersOf = (...answers: (() => NameAnswer | Promise<NameAnswer>)[]): NamingProvider[] =>
    answers.map((given, index) => new NamingProvider(given, `provider ${String(index)}`));

  it('one that hangs has its share of the time, and the next is asked', async () => {
    const providers = providersOf(
      () => HANGING,
      () => MARY,
    );
    expect(await ask(resolverOf(...providers), {}, within(400))).toEqual({ ok: true, value: VERIFIED });
    expect(providers.map(({ asked }) => asked.length)).toEqual([1, 1]);
  });

  it.each<[string, () => NameAnswer | Promise<NameAnswer>]>([
    ['throws', () => { throw new TypeError('ours'); }], // prettier-ignore
    ['rejects', () => Promise.reject(new TypeError('ours'))],
  ])('one that %s is in the log, and the next is asked at once', async (_, trouble) => {
    expect(await ask(resolverOf(...providersOf(trouble, () => MARY)))).toEqual({ ok: true, value: VERIFIED });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'error', provider: 'provider 0', err: { message: 'ours' } },
    ]);
  });

  it('one that is only slow is listened to while others are asked', async () => {
    const held = heldAnswer();
    const providers = providersOf(
      () => held.answer,
      () => DOWN,
      () => {
        held.give(MARY);
        return HANGING;
      },
    );
    expect(await ask(resolverOf(...providers), {}, within(500))).toEqual({ ok: true, value: VERIFIED });
    expect(providers.map(({ asked }) => asked.length)).toEqual([1, 1, 1]);
  });

  it('where all of them hang, nothing is known, in time', async () => {
    const providers = providersOf(
      () => HANGING,
      () => HANGING,
    );
    expectUnknown(await ask(resolverOf(...providers), {}, within(300)));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { provider: 'provider 0', detail: 'no time left' },
    ]);
    expect(providers.map(({ asked }) => asked.length)).toEqual([1, 1]);
  });
});

describe('the time for an answer', () => {
  it.each([
    [2_000, 1_500],
    [5_000, 1_500],
    [1_000, 800],
    [300, 100],
  ])('with %d ms left a provider gets %d', async (left, given) => {
    const provider = new NamingProvider(() => MARY);
    await ask(resolverOf(provider), {}, within(left));
    expect(provider.asked.map(({ timeoutMs }) => timeoutMs)).toEqual([given]);
  });

  it.each([240, 200, 0, -1_000])('with %d ms left nobody is asked', async (left) => {
    const provider = new NamingProvider(() => MARY);
    expectUnknown(await ask(resolverOf(provider), {}, within(left)));
    expect(provider.asked).toEqual([]);
  });

  it('a provider that ignores its time limit is abandoned, and its late answer is not cached', async () => {
    const held = heldAnswer();
    const provider = new NamingProvider(() => held.answer);
    const resolver = resolverOf(provider);
    expectUnknown(await ask(resolver, {}, within(300)));
    held.give(MARY);
    provider.answers = () => ({ outcome: 'not_found' });
    expect(await ask(resolver)).toMatchObject({ value: { status: 'FAILED' } });
  });
});

describe('asked again', () => {
  const GONE: NameAnswer = { outcome: 'not_found' };

  it.each<[NameAnswer, number]>([
    [MARY, 60_000],
    [{ outcome: 'cannot_tell' }, 60_000],
    [GONE, 10_000],
  ])('%j is known for %d ms', async (answer, ttlMs) => {
    const provider = new NamingProvider(() => answer);
    const resolver = resolverOf(provider);
    const first = await ask(resolver);
    provider.answers = () => DOWN;
    clock.advance(ttlMs - 1);
    expect(await ask(resolver)).toEqual(first);
    expect(provider.asked.length).toBe(1);
    clock.advance(1);
    expectUnknown(await ask(resolver));
  });

  it('what is known is compared with the name that is sent now', async () => {
    const resolver = resolverOf(new NamingProvider(() => MARY));
    expect(await ask(resolver)).toMatchObject({ value: { name_match: null } });
    expect(await ask(resolver, { account_name: 'Mary' })).toMatchObject({ value: { name_match: 'partial' } });
  });

  it('a provider that did not answer is asked again at once', async () => {
    const provider = new NamingProvider(() => DOWN);
    const resolver = resolverOf(provider);
    expectUnknown(await ask(resolver));
    provider.answers = () => MARY;
    expect(await ask(resolver)).toEqual({ ok: true, value: VERIFIED });
  });

  it('what one network knows of a phone says nothing of another', async () => {
    const provider = new NamingProvider(({ destination }) =>
      destination.kind === 'mobile' && destination.mobile_network === 'Safaricom' ? MARY : GONE,
    );
    const resolver = resolverOf(provider);
    expect(await ask(resolver, { destination: { ...PHONE, mobile_network: 'Airtel' } })).toMatchObject({
      value: { status: 'FAILED' },
    });
    expect(await ask(resolver)).toMatchObject({ value: { status: 'COMPLETE', verified: true } });
  });
});

describe('asked by many at once', () => {
  it('equal questions are one to the provider, others are their own', async () => {
    const held = heldAnswer();
    const provider = new NamingProvider(() => held.answer);
    const resolver = resolverOf(provider);
    const many = Array.from({ length: 50 }, () => ask(resolver));
    const other = ask(resolver, { destination: { ...PHONE, phone: '+254712345679' } });
    held.give(MARY);
    expect(new Set((await Promise.all([...many, other])).map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(provider.asked.length).toBe(2);
  });

  it('each waits no longer than its own time', async () => {
    const held = heldAnswer();
    const resolver = resolverOf(new NamingProvider(() => held.answer));
    const patient = ask(resolver);
    expectUnknown(await ask(resolver, {}, within(260)));
    held.give(MARY);
    expect(await patient).toEqual({ ok: true, value: VERIFIED });
  });
});

describe('asked by a caller with little time and one with much time', () => {
  it('a caller with time left asks again when the time of the provider is over', async () => {
    const held = heldAnswer();
    const provider = new NamingProvider(() => held.answer);
    const resolver = resolverOf(provider);
    const hurried = ask(resolver, {}, within(1_000));
    const patient = [ask(resolver), ask(resolver)];
    await until(() => provider.asked.length === 1, { withinMs: 500, what: 'the provider is asked' });
    clock.advance(800);
    provider.answers = () => MARY;
    held.give(DOWN);
    expectUnknown(await hurried);
    expect(await Promise.all(patient)).toEqual([
      { ok: true, value: VERIFIED },
      { ok: true, value: VERIFIED },
    ]);
    expect(provider.asked.map(({ timeoutMs }) => timeoutMs)).toEqual([800, 700]);
  });

  it('a provider that said within the time that it cannot say is not asked again by all who wait', async () => {
    const held = heldAnswer();
    const provider = new NamingProvider(() => held.answer);
    const resolver = resolverOf(provider);
    const all = [ask(resolver, {}, within(1_000)), ask(resolver), ask(resolver)];
    await until(() => provider.asked.length === 1, { withinMs: 500, what: 'the provider is asked' });
    held.give(DOWN);
    for (const answer of await Promise.all(all)) expectUnknown(answer);
    expect(provider.asked.length).toBe(1);
  });

  it('a clock that is set while they wait changes nothing of their time', async () => {
    const provider = new NamingProvider(() => {
      clock.set(new Date(START.getTime() - 3_600_000));
      return DOWN;
    });
    const second = new NamingProvider(() => MARY, 'b');
    expect(await ask(resolverOf(provider, second))).toEqual({ ok: true, value: VERIFIED });
    expect(second.asked.map(({ timeoutMs }) => timeoutMs)).toEqual([1_500]);
  });
});

describe('against harvesting', () => {
  it('one destination can be asked for 60 times by one partner, then once a second, cached answers and other networks included', async () => {
    const provider = new NamingProvider(() => MARY);
    const resolver = resolverOf(provider);
    for (let time = 0; time < 60; time += 1) {
      const mobile_network = time % 2 === 0 ? 'Safaricom' : 'Airtel';
      expect((await ask(resolver, { destination: { ...PHONE, mobile_network } })).ok).toBe(true);
    }
    const refused = {
      ok: false,
      error: {
        code: 'rate_limited',
        message: expect.stringMatching(/^Too many lookups .* in 1 s/),
        retryAfterS: 1,
        limit: { name: 'destination', ratePerS: 1, burst: 60 },
      },
    };
    expect(await ask(resolver)).toEqual(refused);
    expect(provider.asked.length).toBe(2);
    expect((await ask(resolver, { destination: { ...PHONE, phone: '+254712345679' } })).ok).toBe(true);
    expect((await ask(resolver, { partner_id: 2 })).ok).toBe(true);
    clock.advance(999);
    expect(await ask(resolver)).toMatchObject({ error: { code: 'rate_limited', retryAfterS: 1 } });
    clock.advance(1);
    expect((await ask(resolver)).ok).toBe(true);
    expect(await ask(resolver)).toEqual(refused);
  });

  it('without a limit, a partner may ask any number of times', async () => {
    const resolver = limitedResolverOf(null, new NamingProvider(() => MARY));
    for (let time = 0; time < 200; time += 1) expect((await ask(resolver)).ok).toBe(true);
  });

  it('no log contains the destination or the name', async () => {
    const provider = new NamingProvider(() => DOWN);
    expectUnknown(await ask(resolverOf(provider), { account_name: 'Mary Wanjiku' }));
    expect(lines.length).toBe(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'warn',
      provider: 'sandbox',
      currency: 'KES',
      kind: 'mobile',
      detail: 'ECONNREFUSED',
    });
    expect(lines.join()).not.toMatch(/712345678|Mary|Wanjiku/i);
  });
});
