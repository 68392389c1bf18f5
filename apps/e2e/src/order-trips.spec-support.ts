import { expect } from '@jest/globals';
import { dataOf, until, type ApiClient } from '@vuka/testing';

import { LEFT, TABLE, type Name, type Row } from './checkout-table.spec-support.js';
import type { Asked, Orders } from './orders.spec-support.js';
import { expectRefused } from './pays.spec-support.js';
import type { Refunds } from './refunds.spec-support.js';

export class OrderTrips {
  readonly hashes = new Map<string, string>();
  private readonly asked = new Map<string, Promise<Asked>>();

  constructor(private readonly orders: Orders) {}

  begin(name: string, played: () => Promise<Asked>): void {
    const trip = played();
    trip.catch(() => undefined);
    this.asked.set(name, trip);
  }

  play(name: Name): void {
    this.begin(name, async () => {
      const row: Row = TABLE[name];
      const order = await this.orders.open(name.replace(/\W/g, '-'), row.order);
      this.keep(name, await row.pays?.(order, this.orders));
      return order;
    });
  }

  async payLate(name: Name, order: Asked): Promise<void> {
    const row: Row = TABLE[name];
    this.keep(name, await row.paysLate?.(order, this.orders));
  }

  of(name: string): Promise<Asked> {
    return this.asked.get(name) ?? Promise.reject(new Error(`nobody asked for ${name}`));
  }

  /** The unused part of an order goes back on its chain exactly, and no more. */
  async goesBack(name: Name, refunds: Refunds, stranger: ApiClient): Promise<void> {
    const [chain, value] = LEFT[name] ?? ['', 0n];
    await this.orders.stands(await this.of(name), TABLE[name].end[0]);
    const to = await refunds.newRecipient(chain);
    const hash = this.hashes.get(name) ?? '';
    const refund = await until(
      async () => {
        const answer = await refunds.ask(chain, hash, to);
        return answer.status === 200 && dataOf<{ amount: string; asset: string }>(answer);
      },
      { withinMs: 20_000, what: 'it may go back', everyMs: 250 },
    );
    expect(BigInt(refund.amount.replace('.', ''))).toBe(value);
    await refunds.stands('COMPLETE', chain, hash, to);
    expectRefused(await refunds.ask(chain, hash, to, stranger), 404, 'not_found');
  }

  private keep(name: Name, hash: unknown): void {
    if (typeof hash === 'string') this.hashes.set(name, hash);
  }
}
