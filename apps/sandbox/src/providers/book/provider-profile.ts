/** What one sandbox provider does differently from the other; the program is the same. */
export interface ProviderProfile {
  readonly id: ProfileId;
  /** An id that comes again is known and pays nothing; else it is taken and paid each time. */
  readonly dedupes: boolean;
  /** How its receipts begin, so that no two providers give the same. */
  readonly receiptPrefix: string;
}

export type ProfileId = 'sandbox' | 'sandbox_b';

export const PROFILES: Readonly<Record<ProfileId, ProviderProfile>> = {
  sandbox: { id: 'sandbox', dedupes: true, receiptPrefix: 'SBX' },
  sandbox_b: { id: 'sandbox_b', dedupes: false, receiptPrefix: 'SBB' },
};
