import { BY, REASON, type CommandHelp, type Option } from './command-options.js';

const A_PARTNER = 'the number or the name of a partner';
const A_KEY = 'the visible part of a key';
const OVERLAP: Option = {
  type: 'string',
  value: 'HOURS',
  help: 'how many hours the old one stays valid beside the new one: 24 by default, 0 ends it at once',
};
const LABEL: Option = { type: 'string', value: '"…"', help: 'what the key is for' };
const SCOPES: Option = {
  type: 'string',
  value: 'A,B',
  help: 'the scopes of the key (docs/partners/keys.md); by default all scopes of its kind',
};
const ADDRESSES: Option = {
  type: 'string',
  value: 'A,B',
  help: 'addresses and ranges that the key may be used from; by default any',
};
const EXPIRES: Option = { type: 'string', value: 'TIME', help: 'when the key expires: 2027-01-31T00:00:00Z, or a day' };
const SHOWN_ONCE = 'The key is stored nowhere and is in no log. Give it to the partner over the agreed channel.';
const WITHIN_5_S = 'Every gateway applies the change within five seconds.';

export const PARTNER_COMMANDS = {
  partners: {
    summary: 'every partner, newest first',
    positional: null,
    usage: ['partners [--before N]'],
    options: { before: { type: 'string', value: 'N', help: 'those before this one: the next page' } },
    words: ['Reads only.'],
    examples: ['partners'],
  },
  partner: {
    summary: 'one partner: status, wallets, keys, webhook, terms',
    positional: A_PARTNER,
    usage: ['partner <partner>'],
    options: {},
    words: ['Reads only. URLs are shown without their query. Keys are shown by their visible part.'],
    examples: ['partner 7', 'partner "Nairobi Shoes"'],
  },
  'partner-create': {
    summary: 'create a partner; then give it keys, a webhook secret and money',
    positional: 'the name of the partner',
    usage: ['partner-create <name> --email E --reason "…" --by NAME'],
    options: {
      email: { type: 'string', value: 'E', help: 'the email address of the partner' },
      reason: REASON,
      by: BY,
    },
    words: [
      'A new partner has no keys and no wallets. key-issue makes a key, and fund makes a wallet. Each name can be used only once.',
    ],
    examples: [
      'partner-create "Nairobi Shoes" --email pay@shoes.example --reason "contract 2026-117" --by "Ann Otieno"',
    ],
  },
  'partner-suspend': {
    summary: 'suspend a partner: nothing new starts for it',
    positional: A_PARTNER,
    usage: ['partner-suspend <partner> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'Within five seconds, requests that start something or cost money are refused (403). Queued payouts wait, and no refund of the partner is signed.',
      'Payouts that were sent already end normally. The partner still gets webhooks and can still read its data.',
    ],
    examples: ['partner-suspend 7 --reason "licence ran out on 21 November" --by "Ann Otieno"'],
  },
  'partner-resume': {
    summary: 'undo partner-suspend: what waited continues',
    positional: A_PARTNER,
    usage: ['partner-resume <partner> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['This does not lift a freeze by people or by incidents.'],
    examples: ['partner-resume 7 --reason "licence of 22 November seen" --by "Ben Mwangi"'],
  },
  keys: {
    summary: 'list the API keys of a partner, and when each was last used',
    positional: A_PARTNER,
    usage: ['keys <partner>'],
    options: {},
    words: ['Reads only. The time of the last use is exact to about a minute.'],
    examples: ['keys 7'],
  },
  'key-issue': {
    summary: 'make an API key for a partner (by two people); it is shown only once',
    positional: A_PARTNER,
    usage: ['key-issue <partner> --kind consumer|checkout --reason "…" --by NAME'],
    options: {
      kind: { type: 'string', value: 'K', help: 'consumer for payouts, checkout for a shop' },
      label: LABEL,
      scopes: SCOPES,
      addresses: ADDRESSES,
      expires: EXPIRES,
      reason: REASON,
      by: BY,
    },
    words: [SHOWN_ONCE],
    examples: [
      'key-issue 7 --kind consumer --label payouts --scopes payouts,read --addresses 203.0.113.0/24 --reason "contract 2026-117" --by "Ann Otieno"',
    ],
  },
  'key-rotate': {
    summary: 'replace a key by a new one (by two people); the old one ends soon',
    positional: A_KEY,
    usage: ['key-rotate <key> [--overlap HOURS] --reason "…" --by NAME'],
    options: {
      overlap: OVERLAP,
      label: LABEL,
      scopes: SCOPES,
      addresses: ADDRESSES,
      expires: EXPIRES,
      reason: REASON,
      by: BY,
    },
    words: [SHOWN_ONCE, 'The new key keeps the label, scopes and addresses of the old one, unless you give others.'],
    examples: ['key-rotate vk_test_consumer_a1b2c3d4 --overlap 48 --reason "quarterly" --by "Ann Otieno"'],
  },
  'key-revoke': {
    summary: 'revoke a key now',
    positional: A_KEY,
    usage: ['key-revoke <key> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [`${WITHIN_5_S} This cannot be undone: issue a new key instead.`],
    examples: ['key-revoke vk_test_consumer_a1b2c3d4 --reason "found in a repository, ticket 61" --by "Ann Otieno"'],
  },
  terms: {
    summary: 'show the limits and fees of one partner; with --file or --none, set them (by two people)',
    positional: A_PARTNER,
    usage: [
      'terms <partner>',
      'terms <partner> --file F --reason "…" --by NAME',
      'terms <partner> --none --reason "…" --by NAME',
    ],
    options: {
      file: {
        type: 'string',
        value: 'F',
        help: 'the new terms, in the format of VUKA_TERMS_FILE (docs/operators/terms.md); they replace all earlier ones',
      },
      none: {
        type: 'boolean',
        value: '',
        help: 'instead of a file: remove its own terms, so that the terms of the deployment apply',
      },
      reason: REASON,
      by: BY,
    },
    words: [`Without an option, this reads only. ${WITHIN_5_S} Transactions that were accepted before keep their fee.`],
    examples: ['terms 7', 'terms 7 --file terms-of-7.json --reason "contract 2026-117, annex 2" --by "Ann Otieno"'],
  },
  'webhook-set': {
    summary: 'set the URL where a partner gets its webhooks by default',
    positional: A_PARTNER,
    usage: [
      'webhook-set <partner> --url U --reason "…" --by NAME',
      'webhook-set <partner> --none --reason "…" --by NAME',
    ],
    options: {
      url: { type: 'string', value: 'U', help: 'the URL; it is stored exactly as given' },
      none: { type: 'boolean', value: '', help: 'instead of a URL: no webhooks by default' },
      reason: REASON,
      by: BY,
    },
    words: [
      'It is used when a request names no URL of its own. Webhooks say who is paid how much: make sure that the request comes from the partner.',
    ],
    examples: [
      'webhook-set 7 --url https://shoes.example/hook --reason "ticket 71, their address of record" --by "Ann Otieno"',
    ],
  },
  'webhook-secret-rotate': {
    summary: 'make a webhook secret for a partner (by two people); it is shown only once',
    positional: A_PARTNER,
    usage: ['webhook-secret-rotate <partner> [--overlap HOURS] --reason "…" --by NAME'],
    options: {
      overlap: OVERLAP,
      force: {
        type: 'boolean',
        value: '',
        help: 'go on although two secrets are valid already: the older one ends at once',
      },
      reason: REASON,
      by: BY,
    },
    words: [SHOWN_ONCE, 'Until the overlap ends, webhooks are signed with both secrets.'],
    examples: ['webhook-secret-rotate 7 --reason "quarterly" --by "Ann Otieno"'],
  },
  reseal: {
    summary: 'seal what was sealed by older keys with the newest one',
    positional: null,
    usage: ['reseal --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'Run this after you added a new key (docs/operators/secrets.md). Nothing that is sealed changes. It can be stopped at any time: the next one goes on.',
      'It tells under which keys it found the rows. A second run looks at all of them again: where it finds none under an old key, you can remove that key.',
    ],
    examples: ['reseal --reason "yearly rotation" --by "Ann Otieno"'],
  },
  deliveries: {
    summary: 'list the webhooks of a partner, newest first',
    positional: A_PARTNER,
    usage: ['deliveries <partner> [--failed | --state S] [--code C]'],
    options: {
      failed: { type: 'boolean', value: '', help: 'only those that were given up' },
      state: { type: 'string', value: 'S', help: 'only one state: pending, delivered, failed, superseded or ended' },
      code: { type: 'string', value: 'C', help: 'only those of one transaction or order' },
      cursor: { type: 'string', value: 'C', help: 'the next page; the page before prints the cursor' },
    },
    words: ['Reads only. It shows only the host of each URL, and never the body.'],
    examples: ['deliveries 7', 'deliveries 7 --failed', 'deliveries 7 --code order-1042'],
  },
  'webhooks-resend': {
    summary: 'send webhooks of a partner again',
    positional: A_PARTNER,
    usage: [
      'webhooks-resend <partner> --failed --reason "…" --by NAME',
      'webhooks-resend <partner> --id N --reason "…" --by NAME',
    ],
    options: {
      failed: { type: 'boolean', value: '', help: 'all webhooks that were given up' },
      id: { type: 'string', value: 'N', help: 'one webhook, by its id in deliveries' },
      reason: REASON,
      by: BY,
    },
    words: [
      'They keep their ids and bodies, so a receiver can skip one that it knows already. An expired webhook is not sent.',
    ],
    examples: [
      'webhooks-resend 7 --failed --reason "their server is up again, ticket 81" --by "Ann Otieno"',
      'webhooks-resend 7 --id 1042 --reason "ticket 82" --by "Ann Otieno"',
    ],
  },
} as const satisfies Record<string, CommandHelp>;
