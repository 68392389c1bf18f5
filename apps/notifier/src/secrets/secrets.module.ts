import { Module } from '@nestjs/common';

import { EnsureWebhookSecret } from './ensure-webhook-secret.js';
import { RewrapWebhookSecrets, RotateWebhookSecret } from './rotate-webhook-secret.js';
import { WebhookSecretStore } from './webhook-secret.store.js';

const SECRETS = [WebhookSecretStore, EnsureWebhookSecret, RotateWebhookSecret, RewrapWebhookSecrets];

@Module({ providers: SECRETS, exports: SECRETS })
export class SecretsModule {}
