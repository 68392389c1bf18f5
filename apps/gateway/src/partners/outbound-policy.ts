import type { FactoryProvider } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { outboundPolicy, type OutboundPolicy } from '@vuka/http';
import { SETTINGS } from '@vuka/service-host';

export const OUTBOUND_POLICY = Symbol('OUTBOUND_POLICY');

export const OUTBOUND_POLICY_PROVIDER: FactoryProvider<OutboundPolicy> = {
  provide: OUTBOUND_POLICY,
  inject: [SETTINGS],
  useFactory: (settings: Settings) => outboundPolicy(settings),
};
