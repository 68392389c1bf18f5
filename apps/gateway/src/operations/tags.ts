export const TAGS = {
  Payouts:
    'Money from your wallet, or from a deposit on a chain, to a phone, till, paybill or bank account. The answer is `PENDING`; ask for the outcome, or be told at your `callback_url`.',
  Rates: 'What a dollar of stablecoin is worth, and quotes that hold a rate for a deposit.',
  Checkout:
    'Orders that a payer settles with stablecoin within seven minutes, and that fill your wallet. They are made with your checkout key.',
  'Name lookup':
    'Whose phone, till, paybill or account it is, before you pay. Counted apart from other requests, against harvesting of names.',
  Transactions: 'What became of a transaction. A webhook is a hint: money is confirmed here.',
  Account: 'Your wallets and what moved in them.',
  Webhooks: 'Where you are told of what changes.',
  Reference: 'Banks, countries, networks, limits and fees: what the rules are made of.',
  Sandbox: 'Only in the sandbox: says how one of your payouts goes on.',
  Health: 'For those who run Vuka. No key.',
} as const;

export type Tag = keyof typeof TAGS;
