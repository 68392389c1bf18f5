import { describe, expect, it } from '@jest/globals';
import type { LookupDestination } from '@vuka/domain';
import type { NameAnswer, NetworkAnswer } from '@vuka/payouts';
import { createLogger, ManualClock } from '@vuka/runtime';

import { AskProviders } from './ask-providers.js';
import { PredictNetwork } from './predict-network.js';
import { NamingProvider, PredictingProvider } from './resolve-name.spec-support.js';

const PHONE = { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' } as const;
const AIRTEL: NetworkAnswer = { outcome: 'told', network: 'Airtel' };

interface Told {
  readonly asked: number;
  readonly answer: unknown;
}

async function told(
  answer: NetworkAnswer | Error,
  given: { name?: NameAnswer; currency?: string; destination?: LookupDestination; leftMs?: number } = {},
): Promise<Told> {
  const { name, currency = 'KES', destination = PHONE, leftMs = 1_000 } = given;
  const clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
  const log = createLogger('validation', { destination: { write: () => undefined } });
  const predicting = new PredictingProvider(answer);
  const providers = [...(name === undefined ? [] : [new NamingProvider(() => name)]), predicting];
  const asking = new AskProviders(providers, new PredictNetwork(providers, clock, log), clock, log);
  const known = await asking.run({ currency, destination }, clock.monotonicMs() + leftMs);
  return { asked: predicting.questions.length, answer: known };
}

const NOT_KNOWN = { outcome: 'cannot_tell' };

describe('the network that a number is probably of', () => {
  it('is told where no name can be, by a provider that pays the corridor', async () => {
    const known = { asked: 1, answer: { outcome: 'cannot_tell', likelyNetwork: 'Airtel' } };
    expect(await told(AIRTEL)).toEqual(known);
    expect(await told(AIRTEL, { name: { outcome: 'cannot_tell' } })).toEqual(known);
  });

  it.each<[string, Parameters<typeof told>[1], object]>([
    ['a name is known', { name: { outcome: 'found', name: 'MARY' } }, { outcome: 'found', name: 'MARY' }],
    ['there is no such recipient', { name: { outcome: 'not_found' } }, { outcome: 'not_found' }],
    ['nobody pays the corridor', { currency: 'UGX' }, NOT_KNOWN],
    ['it is no phone', { destination: { kind: 'till', shortcode: '123456' } }, NOT_KNOWN],
    ['no time is left', { leftMs: 40 }, NOT_KNOWN],
  ])('is not asked for where %s', async (_, given, answer) => {
    expect(await told(AIRTEL, given)).toEqual({ asked: 0, answer });
  });

  it('changes nothing where it is not told', async () => {
    for (const answer of [NOT_KNOWN, { outcome: 'failed', detail: 'HTTP 500' }, new Error('ours')])
      expect(await told(answer as NetworkAnswer)).toEqual({ asked: 1, answer: NOT_KNOWN });
  });
});
