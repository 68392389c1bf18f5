import { BY, REASON, type CommandHelp, type Option } from './command-options.js';

const A_PARTNER = 'the number or the name of a partner';
const A_KEY = 'the visible part of a key';
const OVERLAP: Option = {
  type: 'string',
  value: 'HOURS',
  help: 'how long the one before goes on beside it; 24 unless told, 0: not at all',
};
const LABEL: Option = { type: 'string', value: '"…"', help: 'what it is for' };
const SCOPES: Option = {
  type: 'string',
  value: 'A,B',
  help: 'what alone it may do: docs/partners/keys.md has the scopes; all of its kind unless told',
};
const ADDRESSES: Option = {
  type: 'string',
  value: 'A,B',
  help: 'addresses and ranges that it may come from; any unless told',
};
const EXPIRES: Option = { type: 'string', value: 'TIME', help: 'when it ends: 2027-01-31T00:00:00Z, or a day' };
const SHOWN_ONCE =
  'The whole of it is shown once, here. It is kept nowhere and written into no log: give it to the partner by the way that was agreed.';
const WITHIN_5_S = 'Every gateway goes by it within five seconds.';

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
    words: ['Reads only. Of URLs what stands before their query, and of keys what may be seen.'],
    examples: ['partner 7', 'partner "Nairobi Shoes"'],
  },
  'partner-create': {
    summary: 'make a partner; its keys, secret and money come next',
    positional: 'the name of the partner',
    usage: ['partner-create <name> --email E --reason "…" --by NAME'],
    options: { email: { type: 'string', value: 'E', help: 'where it is written to' }, reason: REASON, by: BY },
    words: ['It has no keys and no wallets: key-issue makes the first, fund the second. A name is given once.'],
    examples: [
      'partner-create "Nairobi Shoes" --email pay@shoes.example --reason "contract 2026-117" --by "Ann Otieno"',
    ],
  },
  'partner-suspend': {
    summary: 'stop a partner: nothing is started for it',
    positional: A_PARTNER,
    usage: ['partner-suspend <partner> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'Within five seconds what would start or cost something is refused (403), queued payouts wait, and no refund of it is signed.',
      'What is on its way ends as it would; it goes on being told, and may look.',
    ],
    examples: ['partner-suspend 7 --reason "licence ran out on 21 November" --by "Ann Otieno"'],
  },
  'partner-resume': {
    summary: 'undo partner-suspend: what waited goes on',
    positional: A_PARTNER,
    usage: ['partner-resume <partner> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['A freeze by people or incidents stands beside it, and stays.'],
    examples: ['partner-resume 7 --reason "licence of 22 November seen" --by "Ben Mwangi"'],
  },
  keys: {
    summary: 'the API keys of a partner, and when each was used',
    positional: A_PARTNER,
    usage: ['keys <partner>'],
    options: {},
    words: ['Reads only. When one was used is known to about a minute.'],
    examples: ['keys 7'],
  },
  'key-issue': {
    summary: 'make an API key for a partner; it is shown once',
    positional: A_PARTNER,
    usage: ['key-issue <partner> --kind consumer|checkout --reason "…" --by NAME'],
    options: {
      kind: { type: 'string', value: 'K', help: 'consumer: for its payouts; checkout: for its shop' },
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
    summary: 'make a key in the place of another one, which ends soon',
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
    words: [SHOWN_ONCE, 'It has the label, scopes and addresses of the one before, where no others are given.'],
    examples: ['key-rotate vk_test_consumer_a1b2c3d4 --overlap 48 --reason "quarterly" --by "Ann Otieno"'],
  },
  'key-revoke': {
    summary: 'end a key now',
    positional: A_KEY,
    usage: ['key-revoke <key> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [`${WITHIN_5_S} It cannot be taken back: make another one.`],
    examples: ['key-revoke vk_test_consumer_a1b2c3d4 --reason "found in a repository, ticket 61" --by "Ann Otieno"'],
  },
  terms: {
    summary: 'limits and fees of one partner; with --file or --none, set them',
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
        help: 'rows as of VUKA_TERMS_FILE (docs/operators/terms.md), instead of all that were agreed before',
      },
      none: {
        type: 'boolean',
        value: '',
        help: 'instead of a file: what holds for everybody holds for it from now on',
      },
      reason: REASON,
      by: BY,
    },
    words: [`Without an option it reads only. ${WITHIN_5_S} What was accepted before keeps its fee.`],
    examples: ['terms 7', 'terms 7 --file terms-of-7.json --reason "contract 2026-117, annex 2" --by "Ann Otieno"'],
  },
  'webhook-set': {
    summary: 'say where a partner is told of what becomes of its payouts',
    positional: A_PARTNER,
    usage: [
      'webhook-set <partner> --url U --reason "…" --by NAME',
      'webhook-set <partner> --none --reason "…" --by NAME',
    ],
    options: {
      url: { type: 'string', value: 'U', help: 'kept byte for byte' },
      none: { type: 'boolean', value: '', help: 'instead of a URL: nowhere by default' },
      reason: REASON,
      by: BY,
    },
    words: ['Where a payout names no URL of its own. Whoever gets it learns what is paid to whom: be sure who asks.'],
    examples: [
      'webhook-set 7 --url https://shoes.example/hook --reason "ticket 71, their address of record" --by "Ann Otieno"',
    ],
  },
  'webhook-secret-rotate': {
    summary: "make a new secret for a partner's webhooks, or its first; shown once",
    positional: A_PARTNER,
    usage: ['webhook-secret-rotate <partner> [--overlap HOURS] --reason "…" --by NAME'],
    options: {
      overlap: OVERLAP,
      force: { type: 'boolean', value: '', help: 'although two are live already: the older one ends at once' },
      reason: REASON,
      by: BY,
    },
    words: [SHOWN_ONCE, 'Until the overlap ends webhooks are signed with both.'],
    examples: ['webhook-secret-rotate 7 --reason "quarterly" --by "Ann Otieno"'],
  },
  'webhook-secrets-rewrap': {
    summary: 'seal every webhook secret with our newest key',
    positional: null,
    usage: ['webhook-secrets-rewrap --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'After a new cipher key has come in front (docs/operators/secrets.md). No secret changes; a repeat changes nothing. When no secret is left under the old key, that may go.',
    ],
    examples: ['webhook-secrets-rewrap --reason "yearly rotation" --by "Ann Otieno"'],
  },
  deliveries: {
    summary: "the log of a partner's webhooks, newest first",
    positional: A_PARTNER,
    usage: ['deliveries <partner> [--failed | --state S] [--code C]'],
    options: {
      failed: { type: 'boolean', value: '', help: 'those that were given up' },
      state: { type: 'string', value: 'S', help: 'pending, delivered, failed, superseded or ended' },
      code: { type: 'string', value: 'C', help: 'of one transaction or order' },
      cursor: { type: 'string', value: 'C', help: 'the next page, as the page before says' },
    },
    words: ['Reads only. Of each URL the host alone, and nothing of what it told.'],
    examples: ['deliveries 7', 'deliveries 7 --failed', 'deliveries 7 --code order-1042'],
  },
  'webhooks-resend': {
    summary: 'have webhooks of a partner sent again',
    positional: A_PARTNER,
    usage: [
      'webhooks-resend <partner> --failed --reason "…" --by NAME',
      'webhooks-resend <partner> --id N --reason "…" --by NAME',
    ],
    options: {
      failed: { type: 'boolean', value: '', help: 'all that were given up' },
      id: { type: 'string', value: 'N', help: 'one, by its id in deliveries' },
      reason: REASON,
      by: BY,
    },
    words: [
      'They keep their ids and what they tell: a receiver that knows one already may pass over it. What has expired is not sent.',
    ],
    examples: [
      'webhooks-resend 7 --failed --reason "their server is up again, ticket 81" --by "Ann Otieno"',
      'webhooks-resend 7 --id 1042 --reason "ticket 82" --by "Ann Otieno"',
    ],
  },
} as const satisfies Record<string, CommandHelp>;
