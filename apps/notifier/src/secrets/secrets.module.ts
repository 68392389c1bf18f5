import { Module } from '@nestjs/common';

import { DeliveryVault } from './delivery-vault.js';
import { EnsureWebhookSecret } from './ensure-webhook-secret.js';
import { RotateWebhookSecret } from './rotate-webhook-secret.js';
import { WebhookSecretStore } from './webhook-secret.store.js';

const SECRETS = [DeliveryVault, WebhookSecretStore, EnsureWebhookSecret, RotateWebhookSecret];

@Module({ providers: SECRETS, exports: SECRETS })
export class SecretsModule {}
