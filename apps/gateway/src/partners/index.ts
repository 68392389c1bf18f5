export { EnsureSandboxPartner } from './ensure-sandbox-partner.js';
export { listenToEvents } from './events.module.js';
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
export { PartnerTerms, type TermsInForce } from './partner-terms.js';
export { type PartnerAccount, PartnersStore } from './partners.store.js';
