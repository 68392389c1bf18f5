import { Inject, Injectable } from '@nestjs/common';
import {
  described,
  fault,
  lineUpTo,
  MAX_URL_LENGTH,
  ok,
  readFields,
  refusal,
  required,
  type FieldRule,
  type Result,
} from '@vuka/domain';
import { checkPublicUrl, type OutboundPolicy } from '@vuka/http';
import type { Logger } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { DATABASE_WAIT_MS, read, withTimeout } from '../calls/index.js';
import type { JsonBody } from '../http/index.js';
import type { Caller } from '../keys/index.js';
import { DefaultWebhooks, OUTBOUND_POLICY } from '../partners/index.js';

/** decisions.md section 2, webhooks; null: none. */
export interface DefaultWebhook {
  readonly url: string | null;
}

const URL_RULE = required(
  described(
    lineUpTo(MAX_URL_LENGTH, 'invalid_callback_url'),
    'Where you are told of orders, and of transactions without a `callback_url` of their own.',
    {
      format: 'uri',
      examples: ['https://example.com/hooks/vuka'],
    },
  ),
);

/** null or '' clears it; a missing field does not. */
const URL_FIELD: FieldRule<string> = {
  ...URL_RULE,
  schema: { anyOf: [URL_RULE.schema, { enum: ['', null], description: 'None any more' }] },
};

export const DEFAULT_WEBHOOK_FIELDS = { url: URL_FIELD };

const NOT_SET =
  'The default URL could not be stored: it may be the old one or the new one. Send the same request again';

/** Errors: invalid_request, invalid_callback_url, service_unavailable. */
@Injectable()
export class SetDefaultWebhook {
  constructor(
    private readonly webhooks: DefaultWebhooks,
    @Inject(OUTBOUND_POLICY) private readonly outbound: OutboundPolicy,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run({ partnerId }: Caller, body: JsonBody): Promise<Result<DefaultWebhook>> {
    const { webhooks, log } = this;
    const url = this.urlOf(body);
    if (!url.ok) return url;
    const set = await read(
      log,
      async () =>
        ok(await withTimeout(DATABASE_WAIT_MS, 'set a default URL', webhooks.setDefaultUrl(partnerId, url.value))),
      NOT_SET,
    );
    return set.ok ? ok({ url: url.value }) : set;
  }

  /** Byte for byte. */
  private urlOf(body: JsonBody): Result<string | null> {
    if (body['url'] === null || body['url'] === '') return ok(null);
    const sent = readFields(body, DEFAULT_WEBHOOK_FIELDS);
    if (!sent.ok) return refusal(sent.error);
    const checked = checkPublicUrl(sent.value.url, this.outbound);
    return checked.ok
      ? ok(sent.value.url)
      : refusal([fault('invalid_callback_url', 'url', `url ${checked.error}`).error]);
  }
}
