import { WALLET_CURRENCIES } from '@vuka/domain';

import { BY, REASON, type CommandHelp, type Option } from './command-options.js';

/** For examples: any wallet currency. */
const ANY = WALLET_CURRENCIES[0] ?? '';
const A_PARTNER = 'the number or the name of a partner';
const AN_ADJUSTMENT = 'the number of an adjustment';
const CURRENCY: Option = { type: 'string', value: 'C', help: 'the currency of the wallet: three letters' };
const AMOUNT: Option = { type: 'string', value: 'X', help: 'an amount in that currency: 1500.00' };
const OF_PARTNER: Option = { type: 'string', value: 'N', help: 'only those of this partner' };
const A_MOVEMENT = 'the number of a float movement';
const OPEN: Option = { type: 'boolean', value: '', help: 'only those that wait for a second person' };
const BEFORE: Option = { type: 'string', value: 'N', help: 'the next page: those before this number' };

/** A proposal about a wallet, and a word on one. */
const ADJUSTED = { positional: A_PARTNER, options: { currency: CURRENCY, amount: AMOUNT, reason: REASON, by: BY } };
const DECIDED = { options: { reason: REASON, by: BY } };

export const MONEY_COMMANDS = {
  fund: {
    summary: 'put money into a wallet; a second person approves it',
    ...ADJUSTED,
    usage: ['fund <partner> --currency C --amount X --reason "…" --by NAME'],
    words: ['This is a proposal. No money moves until a second person has checked the bank statement and approves it.'],
    examples: [
      `fund 7 --currency ${ANY} --amount 50000 --reason "bank statement 22 November, line 14" --by "Ann Otieno"`,
    ],
  },
  debit: {
    summary: 'take money out of a wallet; a second person approves it',
    ...ADJUSTED,
    usage: ['debit <partner> --currency C --amount X --reason "…" --by NAME'],
    words: [
      'This is a proposal. No money moves until a second person approves it. It cannot take a wallet below zero.',
    ],
    examples: [`debit 7 --currency ${ANY} --amount 1500.00 --reason "payout to their bank, line 15" --by "Ann Otieno"`],
  },
  adjustments: {
    summary: 'list the funds and debits that people made, newest first',
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
    summary: 'approve a fund or debit that somebody else proposed',
    ...DECIDED,
    positional: AN_ADJUSTMENT,
    usage: ['approve-adjustment <adjustment> --reason "…" --by NAME'],
    words: [
      'First check the evidence yourself. The person who proposed it cannot approve it.',
      'This moves money. To undo it, make an adjustment in the other direction.',
    ],
    examples: ['approve-adjustment 3 --reason "seen in the bank\'s portal" --by "Ben Mwangi"'],
  },
  'withdraw-adjustment': {
    summary: 'withdraw a proposed fund or debit',
    ...DECIDED,
    positional: AN_ADJUSTMENT,
    usage: ['withdraw-adjustment <adjustment> --reason "…" --by NAME'],
    words: ['Possible only before it is approved. No money has moved, and none moves.'],
    examples: ['withdraw-adjustment 3 --reason "the wrong wallet" --by "Ann Otieno"'],
  },
  'float-move': {
    summary: 'post money of ours that has moved, or a fee; a second person approves',
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
      'It moves no money: it posts what has moved already. Nothing is posted until a second person approves.',
      "float_funded: a provider's wallet was topped up from our bank. bank_funded: money of our own came into our bank.",
      'provider_fee: what a provider charged without telling it payment by payment. stablecoin_sold: the proceeds are in our bank.',
      'The other four are the opposites of these. They also undo a mistake.',
    ],
    examples: [
      `float-move float_funded --provider pawapay --wallet ke --currency ${ANY} --amount 250000 --evidence "bank 22 November line 9, dashboard top-up 881" --by "Ann Otieno"`,
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
    ...DECIDED,
    positional: A_MOVEMENT,
    usage: ['float-approve <movement> --reason "…" --by NAME'],
    words: [
      'Look at the evidence yourself first: float-movements --open. Whoever proposed it cannot approve it.',
      'Its opposite undoes it.',
    ],
    examples: ['float-approve 3 --reason "seen in the bank\'s portal and in the dashboard" --by "Ben Mwangi"'],
  },
  'float-withdraw': {
    summary: 'withdraw a proposed float-move',
    ...DECIDED,
    positional: A_MOVEMENT,
    usage: ['float-withdraw <movement> --reason "…" --by NAME'],
    words: ['Possible only before it is approved. Nothing was posted, and nothing will be.'],
    examples: ['float-withdraw 3 --reason "the wrong wallet" --by "Ann Otieno"'],
  },
  freeze: {
    summary: 'stop new payouts of a partner until somebody lifts the freeze',
    positional: A_PARTNER,
    usage: ['freeze <partner> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'New payouts are refused, and queued ones wait. A payout that was sent already ends normally. The partner can still do everything else; partner-suspend stops that too.',
    ],
    examples: ['freeze 7 --reason "twelve new accounts in an hour, ticket 20" --by "Ann Otieno"'],
  },
  unfreeze: {
    summary: 'lift a freeze: queued payouts continue',
    positional: A_PARTNER,
    usage: ['unfreeze <partner> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['If an incident caused the freeze, resolve lifts it.'],
    examples: ['unfreeze 7 --reason "they opened a second shop, ticket 20" --by "Ben Mwangi"'],
  },
  freezes: {
    summary: 'list every freeze that people made, newest first',
    positional: null,
    usage: ['freezes [--partner N]'],
    options: { partner: OF_PARTNER },
    words: ['Reads only. To see what is frozen now, for any reason, use stuck.'],
    examples: ['freezes'],
  },
  incidents: {
    summary: 'list the open incidents, newest first',
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
    summary: 'the statement of a wallet for a period, as CSV with its running balance',
    positional: A_PARTNER,
    usage: ['statement <partner> --currency C --from DAY --to DAY [--out FILE]'],
    options: {
      currency: CURRENCY,
      from: { type: 'string', value: 'DAY', help: 'the first day of the period (UTC): 2026-11-01' },
      to: { type: 'string', value: 'DAY', help: 'the last day of the period' },
      out: {
        type: 'string',
        value: 'FILE',
        help: 'a new file to write to; required with --json. Without it, the statement is printed',
      },
    },
    words: [
      'Reads only. Oldest entries first. The opening and closing balance come from the ledger. If the entries do not add up to them, the command ends with 1.',
    ],
    examples: [`statement 7 --currency ${ANY} --from 2026-11-01 --to 2026-11-30 --out november.csv`],
  },
  acts: {
    summary: 'the audit record, newest first: who did what, and why',
    positional: null,
    usage: ['acts [--partner N] [--by NAME] [--service S [--before N]]'],
    options: {
      partner: OF_PARTNER,
      by: { type: 'string', value: 'NAME', help: 'only those that this person did or approved' },
      service: {
        type: 'string',
        value: 'S',
        help: 'only those of one service: gateway, payments, offramp, checkout or notifier',
      },
      before: { type: 'string', value: 'N', help: 'with --service: those before this one, the next page' },
    },
    words: [
      'Reads only. An entry is written in one commit with the change that it describes. Nobody can change it later.',
    ],
    examples: ['acts', 'acts --partner 7', 'acts --by "Ann Otieno"'],
  },
} as const satisfies Record<string, CommandHelp>;
