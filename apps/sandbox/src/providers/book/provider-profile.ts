export interface ProviderProfile {
  readonly id: ProfileId;
  /** false: a repeated id is paid again. */
  readonly dedupes: boolean;
  /** Makes receipts unique across providers. */
  readonly receiptPrefix: string;
}

export type ProfileId = 'sandbox' | 'sandbox_b';

export const PROFILES: Readonly<Record<ProfileId, ProviderProfile>> = {
  sandbox: { id: 'sandbox', dedupes: true, receiptPrefix: 'SBX' },
  sandbox_b: { id: 'sandbox_b', dedupes: false, receiptPrefix: 'SBB' },
};
