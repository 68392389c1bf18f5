import type { Sighting } from '@vuka/domain';
import { answerWithin, type Clock } from '@vuka/runtime';

import type { OutgoingTrouble } from './outgoing.js';
import { wholeVerdictOf } from './reader/agreement.js';
import { troubleOf } from './reader/endpoint-client.js';
import type { Endpoint } from './reader/endpoint.js';

export type Told<T> = { readonly kind: 'told'; readonly value: T } | { readonly kind: 'nothing'; readonly why: string };

/** Rejects only for bugs. */
export async function toldBy<T>(
  endpoint: Pick<Endpoint, 'isCheckDue' | 'checkChain' | 'state'>,
  ask: () => Promise<T>,
): Promise<Told<T>> {
  if (endpoint.isCheckDue) await endpoint.checkChain();
  const { state } = endpoint;
  if (state !== 'ok') return { kind: 'nothing', why: state };
  try {
    return { kind: 'told', value: await ask() };
  } catch (error) {
    return { kind: 'nothing', why: troubleOf(error) };
  }
}

export class OutgoingQuorum<E extends Endpoint> {
  constructor(
    private readonly endpoints: readonly E[],
    readonly agree: number,
    private readonly clock: Clock,
  ) {}

  ask<T>(question: (endpoint: E) => Promise<T>): Promise<Told<T>[]> {
    return Promise.all(this.endpoints.map((endpoint) => toldBy(endpoint, () => question(endpoint))));
  }

  /** Endpoints prune, so one that has it in a block outweighs the others. */
  async look(transactionId: string, address: string): Promise<Sighting> {
    const told = await Promise.all(this.endpoints.map((endpoint) => endpoint.look({ transactionId, address })));
    return wholeVerdictOf(told, this.agree);
  }

  /** Reached by at least `agree`. With fewer liars it is never above an honest answer. */
  reached<T>(
    told: readonly Told<T>[],
    value: (one: T) => bigint,
  ): { readonly kind: 'reached'; readonly value: bigint } | OutgoingTrouble {
    const values = told
      .flatMap((one) => (one.kind === 'told' ? [value(one.value)] : []))
      .sort((one, other) => (one < other ? 1 : one > other ? -1 : 0));
    const least = values[this.agree - 1];
    return least === undefined ? this.tooFew(told) : { kind: 'reached', value: least };
  }

  tooFew(told: readonly Told<unknown>[]): OutgoingTrouble {
    const words = told.map((one, index) => `${String(index + 1)} ${one.kind === 'told' ? 'answers' : one.why}`);
    return {
      kind: 'trouble',
      reason: `${String(this.agree)} of ${String(told.length)} endpoints must agree: ${words.join(', ')}`,
    };
  }

  within<T>(until: number, ask: () => Promise<T>): Promise<T | OutgoingTrouble> {
    const ms = until - this.clock.now().getTime();
    const late = { kind: 'trouble', reason: 'no answer in time' } as const;
    return ms > 0 ? answerWithin(ms, ask(), late) : Promise.resolve(late);
  }

  async close(): Promise<void> {
    await Promise.all(this.endpoints.map((endpoint) => endpoint.close()));
  }
}
