export { DefaultWebhooks } from './default-webhooks.js';
export { EnsureSandboxPartner } from './ensure-sandbox-partner.js';
export {
  findKnownPartner,
  insertPartner,
  type KnownPartner,
  listKnownPartners,
  lockKnownPartner,
  setDefaultWebhook,
  setOwnTerms,
  setStatus,
} from './known-partners.store.js';
export { OUTBOUND_POLICY, OUTBOUND_POLICY_PROVIDER } from './outbound-policy.js';
export { PartnerTerms, type TermsInForce } from './partner-terms.js';
export { PartnersModule } from './partners.module.js';
export { type PartnerAccount, PartnersStore } from './partners.store.js';
