import { Cipher } from './cipher.js';

/** Every stored query begins so, also one that looked alike when it was given. */
const MARK = '?~';

type Sealing = Pick<Cipher, 'seal' | 'open'>;

/** `https://host/path?~<sealed query and fragment>`: hosts and paths stay readable, queries carry tokens and names. */
export function sealQuery(cipher: Sealing, url: string, aad: string): string {
  const at = url.search(/[?#]/);
  return at === -1 ? url : url.slice(0, at) + MARK + cipher.seal(url.slice(at), aad);
}

/** The URL byte for byte. Throws for wrong key, wrong `aad`, changed text. */
export function openQuery(cipher: Sealing, stored: string, aad: string): string {
  const sealed = sealedPartOf(stored);
  return sealed === null ? stored : stored.slice(0, -sealed.length - MARK.length) + cipher.open(sealed, aad);
}

/** null: nothing of it is sealed. */
export function sealedPartOf(stored: string): string | null {
  const at = stored.indexOf(MARK);
  return at === -1 ? null : stored.slice(at + MARK.length);
}

/**
 * What services tell each other for webhooks: sealed where it comes in, carried as it is through tables and events,
 * and opened where it goes out. Its keys are those of gateway, payments and notifier.
 */
export class WebhookCipher extends Cipher {
  /** Of a partner: another partner's place does not open it. */
  sealUrl(partnerId: number, url: string): string {
    return sealQuery(this, url, urlBinding(partnerId));
  }

  openUrl(partnerId: number, stored: string): string {
    return openQuery(this, stored, urlBinding(partnerId));
  }

  /** The recipient's name, as the provider told it. */
  sealName(transactionId: number, name: string): string {
    return this.seal(name, nameBinding(transactionId));
  }

  openName(transactionId: number, sealed: string): string {
    return this.open(sealed, nameBinding(transactionId));
  }
}

/** What a URL of this partner is bound to. */
export const urlBinding = (partnerId: number | string): string => `callback-url:${String(partnerId)}`;
/** What a recipient's name is bound to. */
export const nameBinding = (transactionId: number | string): string => `public-name:${String(transactionId)}`;
