import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import type { PayoutDestination, SandboxPayoutControl } from '@vuka/payouts';
import { SANDBOX_CONTROLS, SETTINGS } from '@vuka/service-host';

import { givenOf, type TransactionSnapshot } from '../transactions/index.js';
import { Routes } from './choose-route.js';

@Injectable()
export class SandboxProviders {
  /** False in live. */
  readonly areThere: boolean;

  constructor(
    @Inject(SETTINGS) { env }: Pick<Settings, 'env'>,
    private readonly routes: Routes,
    @Inject(SANDBOX_CONTROLS) private readonly controls: ReadonlyMap<string, SandboxPayoutControl>,
  ) {
    this.areThere = env === 'sandbox';
  }

  controlOf(provider: string): SandboxPayoutControl | undefined {
    return this.controls.get(provider);
  }

  /** All providers, because any may be next. False: none took it. */
  async topUp(snapshot: TransactionSnapshot, destination: PayoutDestination): Promise<boolean> {
    const { details } = snapshot;
    const order = { orderId: String(details.id), amount: givenOf(details), destination };
    const toppedUp = await Promise.all(
      this.routes.of(snapshot).map(async (route) => (await this.controlOf(route.id)?.topUp(order)) ?? false),
    );
    return toppedUp.some((done) => done);
  }
}
