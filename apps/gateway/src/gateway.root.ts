import { Injectable } from '@nestjs/common';
import type { gatewayApi, InternalHandlers } from '@vuka/contracts';
import type { ServiceRoot } from '@vuka/service-host';

import { ServedChains } from './chains/index.js';
import { HttpApi } from './edge/index.js';
import { UsedKeys } from './keys/index.js';
import { PublicAddress } from './orders/index.js';
import { EnsureSandboxPartner } from './partners/index.js';

/** Shutdown order: requests, events, background writes, connections. */
@Injectable()
export class GatewayRoot implements ServiceRoot {
  readonly handlers: InternalHandlers<typeof gatewayApi>;

  constructor(
    ensureSandboxPartner: EnsureSandboxPartner,
    private readonly api: HttpApi,
    private readonly usedKeys: UsedKeys,
    private readonly chains: ServedChains,
    private readonly address: PublicAddress,
  ) {
    this.handlers = { ensureSandboxPartner: (input) => ensureSandboxPartner.run(input) };
  }

  get baseUrl(): string {
    return this.api.baseUrl;
  }

  async start(): Promise<void> {
    await this.api.listen();
    this.address.listensAt(this.api.baseUrl);
    this.usedKeys.start();
    // Cached before the first pay, because offramp may be away then.
    void this.chains.all();
  }

  ready(): true | string {
    return this.api.draining.now ? 'shutting down' : true;
  }

  /** First half of a stop; the outbox is read until the second. May be called twice. */
  closeApi(): Promise<void> {
    return this.api.close();
  }
}
