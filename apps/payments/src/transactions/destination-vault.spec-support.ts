import { Cipher, WebhookCipher } from '@vuka/runtime';

import { DestinationVault } from './destination-vault.js';

/** Without a database: one data key for all. `byte` makes another deployment's. */
export function testVault(byte = 7): DestinationVault {
  const data = new Cipher([{ id: 'd', key: Buffer.alloc(32, byte + 1) }]);
  return new DestinationVault(
    { current: async () => ({ id: 1, cipher: data }), open: () => data },
    new Cipher([{ id: 'k1', key: Buffer.alloc(32, byte) }]),
    new WebhookCipher([{ id: 'w1', key: Buffer.alloc(32, 5) }]),
  );
}
