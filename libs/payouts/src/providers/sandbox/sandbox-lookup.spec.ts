import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { NameQuestion } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { lookupBody, readLookup } from './sandbox-lookup.js';

const json = (status: number, body: unknown): ProviderReply => ({ kind: 'json', status, body });
const SECRETS = ['MARY_WANJIKU', '0712345678', 'MARY WANJIKU'];

describe('the question', () => {
  const questions: [NameQuestion['destination'], object][] = [
    [
      { kind: 'bank', account_number: '0110123456789', bank_code: '01', bank_name: 'KCB' },
      { account_number: '0110123456789', bank_code: '01' },
    ],
    [
      { kind: 'mobile', phone: '+256772345678', mobile_network: 'MTN' },
      { kind: 'mobile', shortcode: '0772345678', mobile_network: 'MTN' },
    ],
    [
      { kind: 'paybill', shortcode: '247247' },
      { kind: 'paybill', shortcode: '247247' },
    ],
    [
      { kind: 'till', shortcode: '5123456' },
      { kind: 'till', shortcode: '5123456' },
    ],
  ];

  it.each(questions)('about %j is %j', (destination, recipient) => {
    expect(lookupBody({ destination, currency: 'UGX', timeoutMs: 1 })).toEqual({ currency: 'UGX', recipient });
  });

  it('about a paybill names no account with it', () => {
    const whole = { kind: 'paybill', shortcode: '247247', account_number: 'INV-1' } as const;
    expect(JSON.stringify(lookupBody({ destination: whole, currency: 'KES', timeoutMs: 1 }))).not.toContain('INV-1');
  });
});

describe('the answer', () => {
  const body = fc.record(
    {
      status: fc.oneof(
        fc.constantFrom<unknown>('FOUND', 'NOT_FOUND', 'NAME_UNAVAILABLE', 'constructor', null, ...SECRETS),
        fc.string(),
      ),
      name: fc.oneof(fc.constantFrom<unknown>(null, 1, '', '***', ...SECRETS), fc.string({ unit: 'binary' })),
      code: fc.constantFrom<unknown>('NOT_FOUND', 'BUSY', null, ...SECRETS.slice(1)),
    },
    { requiredKeys: [] },
  );

  it('proves that there is nobody by the simulator’s own word alone, and quotes nobody where it says nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constant(200), fc.integer({ min: 200, max: 499 })),
        fc.oneof(body, fc.jsonValue()),
        (status, said) => {
          const answer = readLookup(json(status, said));
          const word = Object(said) as { status?: unknown; name?: unknown };
          if (answer.outcome !== 'failed') expect(status).toBe(200);
          if (answer.outcome === 'not_found') expect(word.status).toBe('NOT_FOUND');
          if (answer.outcome === 'cannot_tell') expect(['FOUND', 'NAME_UNAVAILABLE']).toContain(word.status);
          if (answer.outcome === 'found') {
            expect(word).toMatchObject({ status: 'FOUND', name: expect.any(String) });
            expect(answer.name).toMatch(/[\p{L}\p{N}]/u);
          }
          if (answer.outcome === 'failed') for (const secret of SECRETS) expect(answer.detail).not.toContain(secret);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [{ kind: 'no_answer', detail: 'ECONNREFUSED', unsent: true } as const, 'ECONNREFUSED'],
    [json(429, { code: 'BUSY' }), 'HTTP 429 BUSY'],
    [json(404, { code: 'NOT_FOUND' }), 'HTTP 404 NOT_FOUND'],
    [json(200, { status: 'MARY_WANJIKU' }), 'a lookup with a status in no table'],
    [json(200, null), 'a lookup in a shape we do not know'],
    [json(200, { status: 'FOUND' }), 'FOUND without a name'],
  ])('%j says nothing: %s', (reply, detail) => {
    expect(readLookup(reply)).toEqual({ outcome: 'failed', detail });
  });
});
