/** Whole tokens that a refund wallet gets, of each token. */
export const SANDBOX_WALLET_TOKENS = 10n ** 9n;
