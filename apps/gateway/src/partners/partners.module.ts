import { Module } from '@nestjs/common';

import { KeysModule } from '../keys/index.js';
import { DefaultWebhooks } from './default-webhooks.js';
import { DisableEndpoint } from './disable-endpoint.js';
import { EndpointConsumer } from './endpoint.consumer.js';
import { EnsureSandboxPartner } from './ensure-sandbox-partner.js';
import { OUTBOUND_POLICY, OUTBOUND_POLICY_PROVIDER } from './outbound-policy.js';
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
    OUTBOUND_POLICY_PROVIDER,
  ],
  exports: [PartnersStore, PartnerTerms, EnsureSandboxPartner, DefaultWebhooks, OUTBOUND_POLICY],
})
export class PartnersModule {}
