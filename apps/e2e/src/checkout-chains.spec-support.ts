import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@jest/globals';
import { until } from '@vuka/testing';

import type { OrderTrips } from './order-trips.spec-support.js';
import type { Asked, Orders } from './orders.spec-support.js';
import type { PayFixture } from './pay-fixture.spec-support.js';

/** Enough blocks for finality on all these chains. */
export const PAST_FINALITY = 60;

/** ARBITRUM's blocks take long to be final and a transfer changes its block; BNB cannot be read. */
export class SlowChains {
  /** Seen, on a chain that takes four minutes to be final. */
  readonly inSight = new Map<string, Asked>();
  readonly unseen = new Map<string, Asked>();

  constructor(
    private readonly fixture: PayFixture,
    private readonly orders: Orders,
    private readonly trips: OrderTrips,
  ) {}

  /**
   * One order is seen but not final at its end, one transfer changes its block, one shows that the chain was scanned.
   */
  async sight(): Promise<Asked> {
    const driver = this.fixture.chain('ARBITRUM');
    const [slow, moved, idle] = await Promise.all([
      this.onArbitrum('slow'),
      this.onArbitrum('moved'),
      this.onArbitrum('idle'),
    ]);
    // More blocks would make the slow one final.
    await until(() => this.trips.hashes.has('network'), { withinMs: 30_000, what: 'the transfer on the wrong chain' });
    const from = await driver.newSender();
    await this.orders.send(slow, slow.answer.asset_amount, { mine: false });
    await driver.stall(true);
    const hash = await this.orders.send(moved, moved.answer.asset_amount, { mine: false, from });
    await driver.mine(1);
    await Promise.all([slow, moved].map((order) => this.orders.stands(order, 'PROCESSING')));
    const raw = (await driver.ask('eth_getTransactionByHash', hash)) as Readonly<Record<string, string>>;
    const { nonce, gas, to, input: data, maxFeePerGas, maxPriorityFeePerGas } = raw;
    await driver.reorg(1);
    expect(await driver.ask('eth_getTransactionReceipt', hash)).toBeNull();
    await driver.mine(2);
    expect(
      await driver.sendTransaction({
        from,
        to: to ?? '',
        data: data ?? '',
        nonce: nonce ?? '',
        gas: gas ?? '',
        maxFeePerGas: maxFeePerGas ?? '',
        maxPriorityFeePerGas: maxPriorityFeePerGas ?? '',
      }),
    ).toBe(hash);
    await driver.mine(1);
    await driver.stall(false);
    for (const [name, order] of Object.entries({ slow, moved, idle })) this.inSight.set(name, order);
    return slow;
  }

  async outage(): Promise<Asked> {
    const driver = this.fixture.chain('BNB');
    const [paid, idle] = await Promise.all(
      ['away', 'away-idle'].map((name) => this.orders.open(name, { network: 'BNB', asset: 'USDC' })),
    );
    if (paid === undefined || idle === undefined) throw new Error('no order');
    await this.orders.stands(await this.trips.of('in ETB'), 'COMPLETE');
    await driver.stall(true);
    await this.orders.send(paid, paid.answer.asset_amount, { mine: false });
    await driver.mine(1);
    process.kill(this.nodeOf('BNB'), 'SIGSTOP');
    this.unseen.set('paid', paid);
    this.unseen.set('idle', idle);
    return paid;
  }

  async staysInSight(): Promise<void> {
    await this.trips.of('sight');
    const [slow, moved, idle] = ['slow', 'moved', 'idle'].map((name) => this.inSight.get(name) as Asked) as [
      Asked,
      Asked,
      Asked,
    ];
    await this.orders.stands(idle, 'FAILED');
    for (const order of [slow, moved]) expect((await order.client.orders.status(order.id))?.status).toBe('PROCESSING');
    await this.fixture.chain('ARBITRUM').mineToFinality();
    for (const order of [slow, moved]) expect((await this.orders.stands(order, 'COMPLETE')).reason).toBe('');
    const credited = async (): Promise<readonly number[]> => {
      const own = await this.orders.credits();
      return [slow, moved].map(({ id }) => own.filter(({ order_id: of }) => of === id).length);
    };
    await until(async () => !(await credited()).includes(0), {
      withinMs: 10_000,
      what: 'both are credited',
      everyMs: 200,
    });
    expect(await credited()).toEqual([1, 1]);
  }

  async waitsForItsChain(): Promise<void> {
    await this.trips.of('outage');
    const [paid, idle] = ['paid', 'idle'].map((name) => this.unseen.get(name) as Asked) as [Asked, Asked];
    try {
      await Promise.all([paid, idle].map((order) => this.orders.isTooLate(order)));
      await this.orders.stands(await this.trips.of('never'), 'FAILED');
      for (const order of [paid, idle])
        expect((await order.client.orders.status(order.id))?.status).toMatch(/^(PENDING|PROCESSING)$/);
    } finally {
      process.kill(this.nodeOf('BNB'), 'SIGCONT');
    }
    await this.fixture.chain('BNB').stall(false);
    await this.fixture.chain('BNB').mineToFinality();
    await this.fixture.chain('BNB').mine(PAST_FINALITY);
    expect((await this.orders.stands(paid, 'COMPLETE')).reason).toBe('');
    expect((await this.orders.stands(idle, 'FAILED')).reason).toBe('expired');
  }

  private onArbitrum(name: string): Promise<Asked> {
    return this.orders.open(name, { network: 'ARB' });
  }

  private nodeOf(chain: string): number {
    return (
      JSON.parse(
        readFileSync(join(this.fixture.vuka.dataDir, 'chains', chain.toLowerCase(), 'server.json'), 'utf8'),
      ) as {
        pid: number;
      }
    ).pid;
  }
}
