/** Whole tokens, given once per refund wallet and token. */
export const SANDBOX_WALLET_TOKENS = 10n ** 9n;
