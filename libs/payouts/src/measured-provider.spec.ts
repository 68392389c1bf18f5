import { describe, expect, it } from '@jest/globals';
import { Metrics } from '@vuka/runtime';

import { measuredProvider } from './measured-provider.js';
import { type PayoutProvider, type ProviderAnswer, tellsBalances } from './payout-provider.js';
import { hasStatement } from './statement-provider.js';

const metrics = new Metrics('test');

class Scripted {
  readonly id = 'told_provider';
  readonly capabilities = { callTimeoutMs: 1 } as PayoutProvider['capabilities'];
  #calls = 0;
  async submit(): Promise<ProviderAnswer> {
    this.#calls += 1;
    return { outcome: 'submitted' };
  }
  query(): Promise<ProviderAnswer> {
    return Promise.reject(new Error('a bug'));
  }
  statement(cursor: string | null): Promise<null | { entries: []; next: string; more: false }> {
    return Promise.resolve(cursor === null ? null : { entries: [], next: cursor, more: false });
  }
  calls(): number {
    return this.#calls;
  }
}

async function count(operation: string, outcome: string): Promise<string | undefined> {
  const labels = ['provider="told_provider"', `operation="${operation}"`, `outcome="${outcome}"`];
  const lines = (await metrics.text())
    .split('\n')
    .filter((line) => line.startsWith('vuka_provider_call_seconds_count{'));
  return lines
    .find((line) => labels.every((label) => line.includes(label)))
    ?.split(' ')
    .at(-1);
}

describe('a measured provider', () => {
  const provider = measuredProvider(new Scripted() as unknown as Scripted & PayoutProvider, metrics);

  it('is the same provider, with the ports that it has and no other', async () => {
    expect([provider.id, hasStatement(provider), tellsBalances(provider)]).toEqual(['told_provider', true, false]);
    expect(await provider.submit({} as never, {} as never)).toEqual({ outcome: 'submitted' });
    expect(provider.calls()).toBe(1);
  });

  it('counts each call by what came of it', async () => {
    await expect(provider.query({} as never)).rejects.toThrow('a bug');
    for (const cursor of [null, '7', '8']) await provider.statement(cursor);
    expect(await count('submit', 'submitted')).toBe('1');
    expect(await count('query', 'threw')).toBe('1');
    expect([await count('statement', 'none'), await count('statement', 'told')]).toEqual(['1', '2']);
    expect(await metrics.text()).not.toContain('operation="calls"');
  });
});
