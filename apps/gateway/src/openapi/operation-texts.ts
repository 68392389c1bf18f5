import type { OperationName } from '../operations/index.js';

/** Groups of operations, in the order of the page. */
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

export interface OperationText {
  readonly tag: Tag;
  /** One per path of the operation, in its order. With `{currency}` in `summary`, each currency has its own. */
  readonly ids: readonly string[];
  /** One for all paths, or one per path. */
  readonly summary: string | readonly string[];
  readonly description: string;
  /** `message` of the answer. */
  readonly message: string;
}

/** The page itself is no operation of the interface. */
export type Described = Exclude<OperationName, 'docs' | 'payPage' | 'payPageState' | 'payPageFiles'>;

const CURRENCY_FILTERS =
  'The currency in the path filters: a transaction of another currency is a 404. Leave it out for any.';
const REPLAY =
  'Send a `reference`, an `Idempotency-Key`, or both: the same request sent again is then the same transaction, and the answer carries `Idempotent-Replayed: true`. ' +
  'The same `reference` with any other content is a 409. After a 503 or 504 the outcome is open: send the same request again with the same `reference` or `Idempotency-Key`, and it never pays twice. ' +
  'If you sent neither, send it again with the answer’s `Transaction-Code` as its `reference`.';
const LISTS_IN_TURN =
  'Your lists and statements are read one after the other: of many at once, those that cannot wait are a 429. One that takes too long to read is a 503: ask for fewer days.';

export const OPERATION_TEXTS = {
  bankTransfer: {
    tag: 'Payouts',
    ids: ['bankTransfer'],
    summary: 'Transfer to a bank account in {currency}',
    description: `Pays a bank account from your {currency} wallet. ${REPLAY}`,
    message: 'The transaction is accepted',
  },
  disburse: {
    tag: 'Payouts',
    ids: ['disburse'],
    summary: 'Pay out in {currency}',
    description: `Pays a recipient from your wallet. \`fee\` is your own markup inside \`amount\`: the recipient gets the rest, and \`fee\` is yours once the payout is \`COMPLETE\`. ${REPLAY}`,
    message: 'The transaction is accepted',
  },
  pay: {
    tag: 'Payouts',
    ids: ['pay', 'pay'],
    summary: 'Pay out a deposit in {currency}',
    description:
      'Pays a recipient with stablecoin that you have sent to your own address on the chain (`settlement_wallet_address` of the networks). It is `PENDING` until the transfer is final, and each transfer pays once: ' +
      'the same `transaction_hash` again, in any spelling, is a 409 that names the payout. `quote_id` holds the rate of a quote, for at most its `asset_amount` and the tolerance, and is taken until 30 minutes after the quote’s `expires_at` (409 `quote_mismatch` from then on); what you sent beyond that is left over and can be sent back (`refund`), and goes back with the rest where the payout fails and a `refund_address` was given. Without a quote the rate freezes when the transfer is first looked for. A token that is not worth a dollar waits. A chain that is not served is a 503. ' +
      `\`fee\` is your own markup inside \`amount\`. ${REPLAY}`,
    message: 'The transaction is accepted',
  },
  refund: {
    tag: 'Payouts',
    ids: ['refund'],
    summary: 'Send a deposit back',
    description:
      'Sends back on its chain what arrived by one transfer and was used for nothing: underpaid, late, of another token, beyond a quote, or left over by an order. Where the transfer brought value for several of your orders or payments, `order_id` or `reference` (a `transaction_code`) says which, and a request without is a 400 that lists them: the value of each may be another payer’s. To `refund_address`, else to the return address that is registered for you, and never to the sender. ' +
      'It is `PENDING` until it is signed, `PROCESSING` until it is final there, then `COMPLETE`; `FAILED` means that nothing was sent and the value is where it was. A deposit goes back once: the same request again answers as its refund stands, ' +
      'and another address is a 409, as is value that was used or is in your wallet. An account that owes money is a 403. What is worth less than its transfer may cost is a 400 that says how much it takes on that chain. A pay that names a `refund_address` and whose payout fails is sent back without being asked, where nothing of that forbids it; else its value goes to your wallet. A pay whose deposit could not be used (underpaid, another token, too old) is not: ask for it here.',
    message: 'The refund',
  },
  quote: {
    tag: 'Rates',
    ids: ['quote', 'quote'],
    summary: 'Hold a rate for a deposit in {currency}',
    description:
      'What to send, where to, and the rate that a `pay` with this `quote_id` gets: for the same amount, currency, chain and asset, once, and for a transfer that is in a block at most 30 s after `expires_at`. ' +
      'It is for at most `asset_amount` and the tolerance: what is sent beyond that is left over. The `pay` has to be accepted within 30 minutes of `expires_at`. A later transfer gets the rate of the time, and the row’s `message` says so. ' +
      'What your open quotes are worth together is limited: one that would be more is a 429. A chain that is not served is a 503, and so is a rate that is not fresh.',
    message: 'The quote',
  },
  checkout: {
    tag: 'Checkout',
    ids: ['createOrder'],
    summary: 'Make an order',
    description:
      'Gives an address of this order alone, a frozen rate and what is due in dollars and in the token, for `expires_in` seconds. The parameters are in the query; a body is not looked at. Send the payer to `payment_url`, or show `address` and `asset_amount` yourself. ' +
      'What reaches the address in that time (by the time of its block, at most 30 s after `expires_at`) counts, in one transfer or several; an order that is `COMPLETE` has credited its `amount` to your wallet in `currency_code`. `order_id` is your own name for it, used once, for ever: ' +
      'the same request again is the same order as it stands by now, with `Idempotent-Replayed: true`; any other content under it is a 409. After a 503 or 504 send the same request again, or ask for its status. A network that is not served is a 503, and so is a rate that is not fresh. You are told of its changes at your default webhook URL.',
    message: 'The order',
  },
  orderStatus: {
    tag: 'Checkout',
    ids: ['getOrder'],
    summary: 'Status of an order',
    description:
      'How an order of yours stands: with either kind of key. `PENDING` → `PROCESSING` (a transfer was seen) → `COMPLETE` or `FAILED`, never backwards; `reason` says why it failed, or that it was overpaid.',
    message: 'The order',
  },
  exchangeRate: {
    tag: 'Rates',
    ids: ['getExchangeRate'],
    summary: 'Rates of a currency',
    description:
      'Fiat for 1 USD. `buying_rate` is what we give for stablecoin, `selling_rate` what we would take, `quoted_rate` the middle. A rate that is not fresh is a 503, never an old one.',
    message: 'The exchange rate',
  },
  exchangeRateInForce: {
    tag: 'Rates',
    ids: ['getExchangeRateInForce'],
    summary: 'Rates of a currency, and what is open',
    description: 'The same, and whether deposits are paid out at the moment (`is_offramp_active`).',
    message: 'The exchange rate',
  },
  accountExchangeRate: {
    tag: 'Rates',
    ids: ['getOneWayExchangeRate'],
    summary: 'Rate of one direction',
    description:
      '`{"buying_rate": true, "to": "…"}` for what you get for dollars, `{"selling_rate": true, "from": "…"}` for what you give for them. `rate` is fiat for 1 USD either way.',
    message: 'The exchange rate',
  },
  validation: {
    tag: 'Name lookup',
    ids: ['resolveName', 'resolveName'],
    summary: 'Look up a name in {currency}',
    description:
      'Asks the rail who owns a destination. `status` is `COMPLETE` where it exists and `FAILED` where it does not, both with HTTP 200. `verified: false` with an empty name is the honest answer of a rail that cannot tell names. ' +
      'Send `account_name` to have the name you expect compared. A rail that is down is a 503, never a guess. Takes no money and promises none.',
    message: 'The destination',
  },
  status: {
    tag: 'Transactions',
    ids: ['getStatusInCurrency', 'getStatus', 'getStatusByCurrency'],
    summary: ['Status, market form', 'Status', 'Status in one currency'],
    description: `The row of one transaction. ${CURRENCY_FILTERS}`,
    message: 'The transaction',
  },
  accountTransaction: {
    tag: 'Transactions',
    ids: ['getAccountTransaction'],
    summary: 'One transaction of a country',
    description:
      'The same row, by `transaction_code`, `reference` or `transaction_hash` in any spelling; the first of them that is sent counts.',
    message: 'The transaction',
  },
  transactions: {
    tag: 'Transactions',
    ids: ['listAccountTransactions', 'listTransactions', 'listTransactionsByCurrency'],
    summary: ['Transactions of a country', 'Transactions', 'Transactions in one currency'],
    description:
      'Rows of the days from `start_date` to `end_date` (UTC, both included; `end_date` at most 400 days after `start_date`), newest first. Where there are more than `limit`, `next_cursor` is not null: send it as `cursor`, with all else the same. ' +
      LISTS_IN_TURN,
    message: 'The transactions',
  },
  accountDetail: {
    tag: 'Account',
    ids: ['getAccount'],
    summary: 'Account and wallets',
    description:
      'Who you are, what is in your wallets, and the networks you may be paid on. Held money is not in a balance.',
    message: 'The account',
  },
  accountWallet: {
    tag: 'Account',
    ids: ['getWallet'],
    summary: 'One wallet',
    description: 'One of your wallets, by its `id` in the account.',
    message: 'The wallet',
  },
  accountStatement: {
    tag: 'Account',
    ids: ['listStatement'],
    summary: 'Statement of a wallet',
    description:
      'What changed a wallet on the days from `start_date` to `end_date` (UTC, both included; `end_date` at most 400 days after `start_date`), newest first, with the balance after each entry. ' +
      `Pages as the list of transactions does. ${LISTS_IN_TURN}`,
    message: 'The statement',
  },
  webhookEndpoint: {
    tag: 'Webhooks',
    ids: ['setWebhookEndpoint'],
    summary: 'Set the default URL',
    description:
      'Where you are told of orders, and of transactions that have no `callback_url` of their own: those made from now on, within some 5 s everywhere. An order or a transaction keeps the URL that it was made with. `null` clears it. ' +
      'https outside the sandbox, and never a private address; kept byte for byte.',
    message: 'The default webhook URL',
  },
  webhookTest: {
    tag: 'Webhooks',
    ids: ['testWebhook'],
    summary: 'Send a test webhook',
    description:
      'Has a signed `webhook.test` sent to your default URL, once, with no retries: `{"status": "TEST", "transaction_code": "test-…", "message": "…"}`. The answer is its row of the log, which is `pending` at first; ask for `deliveries` with its `transaction_code` for what came of it. ' +
      'A 400 where you have no default URL, a 429 where you have sent ten within a minute.',
    message: 'The test webhook is due',
  },
  webhookDeliveries: {
    tag: 'Webhooks',
    ids: ['listDeliveries'],
    summary: 'Log of webhooks',
    description:
      'What you were told, newest first, with every attempt: of the days from `start_date` to `end_date` where they are sent (UTC, both included), by when it was first due. Where there are more than `limit`, `next_cursor` is not null: send it as `cursor`, with all else the same. ' +
      'What takes too long to look through is a 503: ask for fewer days.',
    message: 'The deliveries',
  },
  webhookResend: {
    tag: 'Webhooks',
    ids: ['resendDelivery'],
    summary: 'Send a webhook again',
    description:
      'Has it sent now, to the URL that it had, with the same `webhook-id` and body; its retries begin anew. One that is being sent, or is due within 10 s, goes on as it is. A 404 where it is none of yours, where what it told has expired, or where it was sent a thousand times, and `message` says which.',
    message: 'The delivery is due',
  },
  webhookResendMany: {
    tag: 'Webhooks',
    ids: ['resendDeliveries'],
    summary: 'Send many webhooks again',
    description:
      'All that were given up, or those of a `state`, of an event or of some days: up to 1,000 with one request, oldest first. Where `more` is true there may be others: send `cursor`, with all else the same. What has expired is left out, as are tests. A 429 while another such request of yours is under way.',
    message: 'The deliveries are due',
  },
  banks: {
    tag: 'Reference',
    ids: ['listBanks', 'listBanksByCurrency'],
    summary: ['Banks', 'Banks of a country'],
    description:
      'Each `code` is a `bank_code` of payouts and lookups. `[]` where there are no bank payouts. Without a currency: Nigeria’s.',
    message: 'The banks',
  },
  accountCountries: {
    tag: 'Reference',
    ids: ['listCountries'],
    summary: 'Countries',
    description: 'Where payouts go.',
    message: 'The countries',
  },
  accountNetworks: {
    tag: 'Reference',
    ids: ['listNetworks'],
    summary: 'Networks',
    description:
      'The chains, and the assets on each. Send only what is listed, only to `settlement_wallet_address`: it is yours for good, and one for all chains of the same kind. A network that is not served has none.',
    message: 'The networks',
  },
  limits: {
    tag: 'Reference',
    ids: ['listLimits'],
    summary: 'Limits',
    description: 'What one payout may be, by currency, operation and kind of destination.',
    message: 'The limits',
  },
  fees: {
    tag: 'Reference',
    ids: ['listFees', 'listFeesByCurrency'],
    summary: ['Fees', 'Fees in one currency'],
    description: 'What we take on top of an amount, by currency and operation.',
    message: 'The fees',
  },
  openapi: {
    tag: 'Reference',
    ids: ['getOpenApi'],
    summary: 'This document',
    description: 'OpenAPI 3.1, made of the rules that judge requests. No key.',
    message: '',
  },
  sandboxPayout: {
    tag: 'Sandbox',
    ids: ['releaseSandboxPayout', 'topUpSandboxPayout', 'paySandboxPayout', 'reverseSandboxPayout'],
    summary: ['Pay what is held', 'Give the rail float', 'Have it paid now', 'Have the money come back'],
    description:
      '`done` is false where the rail had nothing to do. May be sent right after the payout: what comes before the rail has it waits for that.',
    message: 'Done by the sandbox rail',
  },
  live: {
    tag: 'Health',
    ids: ['getLive'],
    summary: 'The process lives',
    description: 'Answers as long as the process does.',
    message: 'The process is alive',
  },
  ready: {
    tag: 'Health',
    ids: ['getReady'],
    summary: 'Requests may come',
    description:
      '503 names what is missing. `checks` tells the state of each service: one that is away takes only its own operations along.',
    message: 'Every service is ready',
  },
} as const satisfies Record<Described, OperationText>;
