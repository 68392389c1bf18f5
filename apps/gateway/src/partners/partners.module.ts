import { Module } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { outboundPolicy } from '@vuka/http';
import { SETTINGS } from '@vuka/service-host';

import { KeysModule } from '../keys/index.js';
import { DefaultWebhooks } from './default-webhooks.js';
import { DisableEndpoint } from './disable-endpoint.js';
import { EndpointConsumer } from './endpoint.consumer.js';
import { EnsureSandboxPartner } from './ensure-sandbox-partner.js';
import { OUTBOUND_POLICY } from './outbound-policy.js';
import { PartnerTerms } from './partner-terms.js';
import { PartnersStore } from './partners.store.js';

@Module({
  imports: [KeysModule],
  controllers: [EndpointConsumer],
  providers: [
    PartnersStore,
    PartnerTerms,
    EnsureSandboxPartner,
    DisableEndpoint,
    DefaultWebhooks,
    { provide: OUTBOUND_POLICY, inject: [SETTINGS], useFactory: (settings: Settings) => outboundPolicy(settings) },
  ],
  exports: [PartnersStore, PartnerTerms, EnsureSandboxPartner, DefaultWebhooks, OUTBOUND_POLICY],
})
export class PartnersModule {}
