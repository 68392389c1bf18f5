import { Inject, Injectable } from '@nestjs/common';
import { type Clock, WebhookCipher } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { AuthenticateCaller } from '../keys/index.js';
import { PartnersStore } from './partners.store.js';

@Injectable()
export class DefaultWebhooks {
  constructor(
    private readonly partners: PartnersStore,
    private readonly authenticate: AuthenticateCaller,
    private readonly told: WebhookCipher,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Drops cached keys here, since they hold the URL; other gateways follow when their cache expires. */
  async setDefaultUrl(partnerId: number, url: string | null): Promise<void> {
    const sealed = url === null ? null : this.told.sealUrl(partnerId, url);
    const prefixes = await this.partners.setWebhookUrl(partnerId, sealed, this.clock.now());
    for (const prefix of prefixes) this.authenticate.forget(prefix);
  }
}
