import { WALLET_CURRENCIES } from '@vuka/domain';

import { BY, REASON, type CommandHelp, type Option } from './command-options.js';

/** For examples: any wallet currency. */
const ANY = WALLET_CURRENCIES[0] ?? '';
const A_PARTNER = 'the number or the name of a partner';
const AN_ADJUSTMENT = 'the number of an adjustment';
const CURRENCY: Option = { type: 'string', value: 'C', help: 'of the wallet: three letters' };
const AMOUNT: Option = { type: 'string', value: 'X', help: 'in that currency: 1500.00' };
const A_MOVEMENT = 'the number of a float movement';
const OPEN: Option = { type: 'boolean', value: '', help: 'those that wait for a second person' };
const BEFORE: Option = { type: 'string', value: 'N', help: 'those before this one: the next page' };
const OF_PARTNER: Option = { type: 'string', value: 'N', help: 'of this partner alone' };

export const MONEY_COMMANDS = {
  fund: {
    summary: 'put money into a wallet; a second person approves',
    positional: A_PARTNER,
    usage: ['fund <partner> --currency C --amount X --reason "…" --by NAME'],
    options: { currency: CURRENCY, amount: AMOUNT, reason: REASON, by: BY },
    words: ["This proposes; nothing moves until somebody else has looked at the bank's statement and approves."],
    examples: [
      `fund 7 --currency ${ANY} --amount 50000 --reason "bank statement 22 November, line 14" --by "Ann Otieno"`,
    ],
  },
  debit: {
    summary: 'take money out of a wallet; a second person approves',
    positional: A_PARTNER,
    usage: ['debit <partner> --currency C --amount X --reason "…" --by NAME'],
    options: { currency: CURRENCY, amount: AMOUNT, reason: REASON, by: BY },
    words: ['This proposes; nothing moves until somebody else approves. No wallet goes below zero by it.'],
    examples: [`debit 7 --currency ${ANY} --amount 1500.00 --reason "payout to their bank, line 15" --by "Ann Otieno"`],
  },
  adjustments: {
    summary: 'what people have put into wallets or taken out, newest first',
    positional: null,
    usage: ['adjustments [--partner N] [--open] [--before N]'],
    options: {
      partner: OF_PARTNER,
      open: OPEN,
      before: BEFORE,
    },
    words: ['Reads only.'],
    examples: ['adjustments --open', 'adjustments --partner 7'],
  },
  'approve-adjustment': {
    summary: "carry out somebody else's fund or debit",
    positional: AN_ADJUSTMENT,
    usage: ['approve-adjustment <adjustment> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'Look at what proves it yourself first. Whoever proposed it cannot approve it.',
      'This moves money; it is undone by another one the other way.',
    ],
    examples: ['approve-adjustment 3 --reason "seen in the bank\'s portal" --by "Ben Mwangi"'],
  },
  'withdraw-adjustment': {
    summary: 'take a proposed fund or debit back',
    positional: AN_ADJUSTMENT,
    usage: ['withdraw-adjustment <adjustment> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['Only before it is approved. Nothing has moved, and nothing moves.'],
    examples: ['withdraw-adjustment 3 --reason "the wrong wallet" --by "Ann Otieno"'],
  },
  'float-move': {
    summary: 'post money of ours that moved at a bank or provider, or a fee; a second person approves',
    positional: 'what moved: float_funded, float_withdrawn, provider_fee, bank_funded and so on (see --help)',
    usage: [
      'float-move float_funded|float_withdrawn|provider_fee|provider_fee_returned --provider R --wallet W --currency C --amount X --evidence "…" --by NAME',
      'float-move bank_funded|bank_withdrawn --currency C --amount X --evidence "…" --by NAME',
      'float-move stablecoin_sold|stablecoin_bought --token T --tokens N --currency C --amount X --evidence "…" --by NAME',
    ],
    options: {
      currency: CURRENCY,
      amount: { type: 'string', value: 'X', help: 'in that currency: 1500.00. Of a trade: the proceeds, or the price' },
      provider: { type: 'string', value: 'R', help: 'its id: pawapay' },
      wallet: { type: 'string', value: 'W', help: "the provider's wallet, as ledger names it: ke, or main" },
      token: { type: 'string', value: 'T', help: 'of a trade: USDC@CELO' },
      tokens: { type: 'string', value: 'N', help: 'of a trade: how many, in whole tokens' },
      evidence: {
        type: 'string',
        value: '"…"',
        help: "what proves it and where it can be seen: lines of the bank's and of the provider's statement",
      },
      by: BY,
    },
    words: [
      'This moves no money: it posts what has moved already. Nothing is posted until somebody else has looked and approves.',
      "float_funded: a provider's wallet was topped up from our bank. bank_funded: money of our own came into our bank.",
      'provider_fee: what a provider charged without telling it payment by payment. stablecoin_sold: the proceeds are in our bank.',
      'The other four are the same the other way. They also undo a mistake.',
    ],
    examples: [
      `float-move float_funded --provider pawapay --wallet ke --currency KES --amount 250000 --evidence "bank 22 November line 9, dashboard top-up 881" --by "Ann Otieno"`,
      `float-move bank_funded --currency ${ANY} --amount 1000000 --evidence "bank statement 20 November, line 2" --by "Ann Otieno"`,
    ],
  },
  'float-movements': {
    summary: 'what people have posted of floats, banks, fees and sales, newest first',
    positional: null,
    usage: ['float-movements [--open] [--before N]'],
    options: { open: OPEN, before: BEFORE },
    words: ['Reads only. What each account holds: ledger.'],
    examples: ['float-movements --open'],
  },
  'float-approve': {
    summary: "post somebody else's float-move",
    positional: A_MOVEMENT,
    usage: ['float-approve <movement> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'Look at the evidence yourself first: float-movements --open. Whoever proposed it cannot approve it.',
      'It is undone by another one the other way.',
    ],
    examples: ['float-approve 3 --reason "seen in the bank\'s portal and in the dashboard" --by "Ben Mwangi"'],
  },
  'float-withdraw': {
    summary: 'take a proposed float-move back',
    positional: A_MOVEMENT,
    usage: ['float-withdraw <movement> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['Only before it is approved. Nothing was posted, and nothing is.'],
    examples: ['float-withdraw 3 --reason "the wrong wallet" --by "Ann Otieno"'],
  },
  freeze: {
    summary: 'start no payout of a partner until somebody lifts it',
    positional: A_PARTNER,
    usage: ['freeze <partner> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'New payouts are refused and queued ones wait. What is on its way ends as it would. The partner itself may go on with all else: to stop that, partner-suspend.',
    ],
    examples: ['freeze 7 --reason "twelve new accounts in an hour, ticket 20" --by "Ann Otieno"'],
  },
  unfreeze: {
    summary: 'lift a freeze: queued payouts go on',
    positional: A_PARTNER,
    usage: ['unfreeze <partner> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['One that an incident has brought is lifted by resolve.'],
    examples: ['unfreeze 7 --reason "they opened a second shop, ticket 20" --by "Ben Mwangi"'],
  },
  freezes: {
    summary: 'every time that people have frozen a partner, newest first',
    positional: null,
    usage: ['freezes [--partner N]'],
    options: { partner: OF_PARTNER },
    words: ['Reads only. What is frozen now for whatever reason: stuck.'],
    examples: ['freezes'],
  },
  incidents: {
    summary: 'incidents that nobody has resolved, newest first',
    positional: null,
    usage: ['incidents [--partner N] [--before N]'],
    options: {
      partner: OF_PARTNER,
      before: BEFORE,
    },
    words: ['Reads only.'],
    examples: ['incidents', 'incidents --partner 7'],
  },
  statement: {
    summary: 'what changed a wallet in a period, as CSV with its running balance',
    positional: A_PARTNER,
    usage: ['statement <partner> --currency C --from DAY --to DAY [--out FILE]'],
    options: {
      currency: CURRENCY,
      from: { type: 'string', value: 'DAY', help: 'the first day of it (UTC): 2026-11-01' },
      to: { type: 'string', value: 'DAY', help: 'the last day of it' },
      out: { type: 'string', value: 'FILE', help: 'a new file; without one it is printed. With --json it is needed' },
    },
    words: [
      "Reads only. The oldest first; opening and closing balance are the ledger's own, and what stands between adds up to them, or it ends with 1.",
    ],
    examples: [`statement 7 --currency ${ANY} --from 2026-11-01 --to 2026-11-30 --out november.csv`],
  },
  acts: {
    summary: 'what people have done here, newest first: who, what, why',
    positional: null,
    usage: ['acts [--partner N] [--by NAME] [--service S [--before N]]'],
    options: {
      partner: OF_PARTNER,
      by: { type: 'string', value: 'NAME', help: 'of this person alone, who approved included' },
      service: {
        type: 'string',
        value: 'S',
        help: 'written by this one alone: gateway, payments, offramp, checkout or notifier',
      },
      before: { type: 'string', value: 'N', help: 'with --service: those before this one, the next page' },
    },
    words: ['Reads only. It is written with what it tells of, and nobody changes it.'],
    examples: ['acts', 'acts --partner 7', 'acts --by "Ann Otieno"'],
  },
} as const satisfies Record<string, CommandHelp>;
