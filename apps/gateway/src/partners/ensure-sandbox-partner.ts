import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import type { gatewayApi, InternalHandlers } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import type { Clock } from '@vuka/runtime';
import { CLOCK, KEY_PEPPERS, type KeyPeppers, SETTINGS } from '@vuka/service-host';

import { AuthenticateCaller, hashApiKey, parseApiKey } from '../keys/index.js';
import type { KeyKind } from '../operations/index.js';
import { type KeyToStore, PartnersStore } from './partners.store.js';

type Handler = InternalHandlers<typeof gatewayApi>['ensureSandboxPartner'];

/**
 * A repeat changes only hashes, if keys or pepper changed. Errors: forbidden outside the sandbox, invalid_request.
 */
@Injectable()
export class EnsureSandboxPartner {
  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'env'>,
    @Inject(KEY_PEPPERS) private readonly peppers: KeyPeppers,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly partners: PartnersStore,
    private readonly authenticate: AuthenticateCaller,
  ) {}

  async run(input: Parameters<Handler>[0]): ReturnType<Handler> {
    const { settings, partners, authenticate, clock } = this;
    if (settings.env !== 'sandbox')
      return fail({ code: 'forbidden', message: 'Sandbox partners exist in the sandbox only' });
    const consumer = this.keyOf(input.consumer_key, 'consumer');
    if (!consumer.ok) return consumer;
    const checkout = this.keyOf(input.checkout_key, 'checkout');
    if (!checkout.ok) return checkout;
    const keys = [consumer.value, checkout.value];
    const id = await partners.ensurePartner({ name: input.name, email: input.email }, keys, clock.now());
    for (const { visiblePrefix } of keys) authenticate.forget(visiblePrefix);
    return ok({ partner_id: id });
  }

  private keyOf(text: string, kind: KeyKind): Result<KeyToStore> {
    const parts = parseApiKey(text);
    if (parts?.kind !== kind || parts.environment !== 'test') {
      return fail({ code: 'invalid_request', message: `${kind}_key must look like vk_test_${kind}_<id>_<secret>` });
    }
    return ok({ visiblePrefix: parts.visiblePrefix, kind, ...hashApiKey(text, this.peppers) });
  }
}
