export { bodyOf, DeliveryVault } from './delivery-vault.js';
export { EnsureWebhookSecret, sealedFor } from './ensure-webhook-secret.js';
export { RotateWebhookSecret } from './rotate-webhook-secret.js';
export { SecretsModule } from './secrets.module.js';
export { signWebhook } from './sign-webhook.js';
export { WebhookSecretStore } from './webhook-secret.store.js';
