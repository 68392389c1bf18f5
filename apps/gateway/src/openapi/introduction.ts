import { CURRENCIES, type Currency } from '@vuka/domain';

const START_IN_SANDBOX = `
## Get started

1. Take a key: \`npm start\` has written two partners with filled wallets to \`.vuka/sandbox.json\`. Copy a \`consumer_key\`, and for orders the \`checkout_key\` beside it.
2. Press **Authorize**, paste each into its box, close them. They are forgotten when you leave the page.
3. Open an operation, choose an **example**, press **Execute**. Every example works as it stands, and no money moves; those that ask for a payout know it once its example \`with_reference\` was sent.
4. A \`pay\` needs a transfer of yours. **Networks** tells your address; \`npm run --silent sandbox -- transfer --chain CELO --asset USDC --amount 12.5 --to ADDRESS\` sends mock tokens there. Its last line is the \`transaction_hash\`: put it in the place of the example's.
   As it stands the example is accepted, stays \`PENDING\` while the transfer is looked for, and is \`FAILED\` in the end.
5. An order of **Checkout** is paid in the same way: send its \`asset_amount\` to its \`address\`, and open its \`payment_url\` to watch. Its id is used once: choose another \`order_id\` for another order.

The **last four digits** of the recipient's number say how a payout goes, for ever the same, so that you can write tests against them:

| digits | what happens |
|---|---|
| \`0000\` | the recipient does not exist: \`FAILED\` |
| \`0001\` | the provider refuses it: \`FAILED\` |
| \`0002\` | the provider answers late: \`PROCESSING\` for some 5 s, then \`COMPLETE\` |
| \`0004\` | held until you release it |
| \`0005\` | \`COMPLETE\`, and 2 s later \`REVERSED\` |
| \`0007\` | no float: \`FAILED\` after 30 s, unless you top up |
| any other | \`COMPLETE\` after a second, paid to \`TEST\` and the digits |
`;

const START_IN_LIVE = `
## Get started

Press **Authorize** and paste your consumer key, and for orders your checkout key. This is the **live** system: what you execute moves money.
`;

const RULES = `
<details><summary>What holds everywhere: answers, errors, amounts, retries, limits</summary>

**Answers.** Success is HTTP 200 with \`{code, message, data}\`; lists add \`next_cursor\`. Errors are \`{code, message}\`, and the reason for programs is in the header
\`Error-Code\`. Ask with \`Accept: application/problem+json\` for RFC 9457 with every fault in \`errors\`. A path that is none is a 404, a wrong method a 405 with \`Allow\`.

**Keys.** A key may be limited to scopes (each operation names its own), to addresses that it may be used from, and in time. What it may not do is a 403 that says why. When one is rotated, the
old one goes on for a while beside the new one. A change holds within five seconds.

**Requests.** Bodies are JSON of at most 64 KiB. \`""\` and \`null\` mean that a field is not sent; fields we do not know are ignored. Names of types and networks may be
spelled in any case, and are answered in one. Currencies in paths may be ISO currencies or countries, in any case.

**Amounts** are JSON numbers or decimal strings such as \`"1500.50"\`, without exponent, and are never rounded.

**Money moves once.** Send a \`reference\` of your own. A transfer on a chain pays once, however its hash is spelled. An \`order_id\` is one order. If no answer comes, or a 503 or 504, send the same request again with the same \`reference\` or \`Idempotency-Key\`: it never pays twice. Without either, a bank transfer or disburse that is sent again is a second payment.

**Outcomes.** \`PENDING\` → \`PROCESSING\` → \`COMPLETE\` or \`FAILED\`; seldom \`COMPLETE\` → \`REVERSED\`, which an order never is. Webhooks are signed as
[Standard Webhooks](https://www.standardwebhooks.com) say, and come at least once: confirm by the status.
The signature is HMAC-SHA256 over \`webhook-id.webhook-timestamp.body\`; one of several during a rotation has to be right. Answer 2xx within 3 s. What was missed is in the log (**Webhooks**), and is sent again when you ask. All of it: \`docs/partners/webhooks.md\`.

**Limits.** \`RateLimit\` says how many requests are left; a 429 says in \`Retry-After\` when there are more. Lookups of names are counted apart.

</details>
`;

export function introduction(sandbox: boolean): string {
  const countries = Object.values<Currency>(CURRENCIES).map(({ code, country_name }) => `${country_name} (${code})`);
  const where = `${countries.slice(0, -1).join(', ')} and ${countries.at(-1) ?? ''}`;
  return `Pay phones, tills, paybills and bank accounts in ${where} from one wallet each, or from stablecoin that you send, by one call; and have payers fill a wallet with stablecoin, by an order.\n${sandbox ? START_IN_SANDBOX : START_IN_LIVE}${RULES}`;
}
