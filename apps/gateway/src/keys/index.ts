export { ApiKeyEntity } from './api-key.entity.js';
export { environmentOf, hashApiKey, newApiKey, parseApiKey } from './api-key.js';
export { AuthenticateCaller, type Caller } from './authenticate-caller.js';
export {
  countLiveKeys,
  findIssuedKey,
  insertIssuedKey,
  type IssuedKey,
  listIssuedKeys,
  lockKeysOf,
  replaceIssuedKey,
  revokeIssuedKey,
} from './issued-keys.store.js';
export { type KeyRestrictions, keyRestrictionsOf } from './key-restrictions.js';
export { KeysModule } from './keys.module.js';
export { PartnerEntity } from './partner.entity.js';
export { UsedKeys } from './used-keys.js';
