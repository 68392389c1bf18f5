import { Injectable } from '@nestjs/common';
import type { gatewayApi, InternalHandlers } from '@vuka/contracts';
import type { ServiceRoot } from '@vuka/service-host';

import { ServedChains } from './chains/index.js';
import { HttpApi } from './edge/index.js';
import { UsedKeys } from './keys/index.js';
import { PublicAddress } from './orders/index.js';
import { EnsureSandboxPartner } from './partners/index.js';

/** The edge of the system. Its order at the end: requests, events, what is swept and noted, connections. */
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

  /** Where it listens; known once started. */
  get baseUrl(): string {
    return this.api.baseUrl;
  }

  async start(): Promise<void> {
    await this.api.listen();
    this.address.listensAt(this.api.baseUrl);
    this.usedKeys.start();
    // Known before the first pay, which may come while offramp is away.
    void this.chains.all();
  }

  ready(): true | string {
    return this.api.draining.now ? 'shutting down' : true;
  }

  /** The first half of a stop, for who reads the outbox until the second: no new requests, those under way end. May be called twice. */
  closeApi(): Promise<void> {
    return this.api.close();
  }
}
