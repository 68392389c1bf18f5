/** Whole tokens that a sandbox gives a refund wallet of each token: once, for more is never sent back in a sandbox. */
export const SANDBOX_WALLET_TOKENS = 10n ** 9n;
