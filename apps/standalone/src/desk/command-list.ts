interface Option {
  readonly type: 'string' | 'boolean';
  /** What stands behind it in the help; '' for a switch. */
  readonly value: string;
  readonly help: string;
}

export interface CommandHelp {
  /** One line for the list of all. */
  readonly summary: string;
  /** What must stand behind the name, as a sentence goes on ("show needs …"); null: nothing. */
  readonly positional: string | null;
  readonly usage: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** What a person should know before pressing return. */
  readonly words: readonly string[];
  readonly examples: readonly string[];
}

const PARTNER: Option = { type: 'string', value: 'N', help: 'the partner, where two of them use the same code' };
const BY: Option = { type: 'string', value: 'NAME', help: 'who you are; it goes on the record' };

/** Every command of the desk: what it takes, and what a tired person is told about it. */
export const COMMANDS = {
  stuck: {
    summary: 'what is not moving and why, oldest first, with the command that comes next',
    positional: null,
    usage: ['stuck'],
    options: {},
    words: ['Start here. It reads only, and says so where nothing is stuck.'],
    examples: ['stuck'],
  },
  show: {
    summary: 'one transaction: terms, timeline, attempts, postings, webhooks, what went wrong',
    positional: 'a transaction code or id',
    usage: ['show <code or id> [--partner N]'],
    options: { partner: PARTNER },
    words: ['Reads only. Account and phone numbers are masked.'],
    examples: ['show order-1042', 'show order-1042 --partner 2'],
  },
  release: {
    summary: 'try a parked transaction again now',
    positional: 'a transaction code or id',
    usage: ['release <code or id> [--partner N]'],
    options: { partner: PARTNER },
    words: [
      'A parked transaction (QUEUED: no float, no rail, a fault in our settings) is tried again by itself until its deadline.',
      'Once you have put the cause right, this makes it due now. The deadline stays. Nothing can be paid twice by it.',
    ],
    examples: ['release order-1042'],
  },
  settle: {
    summary: 'say what became of a payment its rail leaves open; a second person approves',
    positional: 'a transaction code or id',
    usage: [
      'settle <code or id> --paid --receipt R [--amount X] --evidence "…" --by NAME',
      'settle <code or id> --not-paid --evidence "…" --by NAME',
    ],
    options: {
      'paid': { type: 'boolean', value: '', help: 'the recipient has the money' },
      'not-paid': { type: 'boolean', value: '', help: 'the recipient has not and will not get it: the money goes back to the wallet' },
      'receipt': { type: 'string', value: 'R', help: "with --paid: the rail's number of the payment" },
      'amount': { type: 'string', value: 'X', help: 'with --paid: what the rail paid, where that is not what it was told to' },
      'evidence': { type: 'string', value: '"…"', help: 'what proves it and where it can be seen: a statement line, a ticket' },
      'by': BY,
      'partner': PARTNER,
    },
    words: [
      'Only for IN_DOUBT and REVIEW. This proposes; nothing moves until somebody else approves.',
      'Not sure? Then do not settle. A payment said "not paid" that was paid is money lost; IN_DOUBT never fails by time.',
    ],
    examples: [
      'settle order-1042 --paid --receipt SBX7J5X8Q2V0K --evidence "rail portal, payout 0193…, 12 May" --by "Ann Otieno"',
      'settle order-1042 --not-paid --evidence "rail ticket 5512: never received" --by "Ann Otieno"',
    ],
  },
  clear: {
    summary: 'let a payment go on that screening has stopped; a second person approves',
    positional: 'a transaction code or id',
    usage: ['clear <code or id> --evidence "…" --by NAME [--partner N]'],
    options: { evidence: { type: 'string', value: '"…"', help: 'why it may be paid, and where that can be seen' }, by: BY, partner: PARTNER },
    words: [
      'Only for REVIEW before anything was sent. This proposes; nothing moves until somebody else approves. Then it goes to its rail.',
      'It must not be paid? Then settle it with --not-paid: its value goes to the wallet, or back on chain where an address was given.',
    ],
    examples: ['clear order-1042 --evidence "name alike only, ticket 77" --by "Ann Otieno"'],
  },
  approve: {
    summary: "carry out somebody else's settlement",
    positional: 'the number of a settlement',
    usage: ['approve <settlement> --by NAME'],
    options: { by: BY },
    words: ['Look at the evidence yourself first: npm run vuka -- show <code>. Whoever proposed it cannot approve it.', 'This moves money and cannot be taken back.'],
    examples: ['approve 7 --by "Ben Mwangi"'],
  },
  withdraw: {
    summary: 'take a proposed settlement back',
    positional: 'the number of a settlement',
    usage: ['withdraw <settlement>'],
    options: {},
    words: ['Only before it is approved. Nothing has moved, and nothing moves.'],
    examples: ['withdraw 7'],
  },
  resolve: {
    summary: 'close an incident, saying what was found and done',
    positional: 'the number of an incident',
    usage: ['resolve <incident> --by NAME --note "…"'],
    options: { by: BY, note: { type: 'string', value: '"…"', help: 'what was found and done; no account or phone numbers' } },
    words: ['It moves no money: it says that somebody has seen to it.'],
    examples: ['resolve 3 --by "Ann Otieno" --note "rail refunded the second payment, ticket 5512"'],
  },
  'dead-letters': {
    summary: 'events that a reader could not take in',
    positional: null,
    usage: ['dead-letters'],
    options: {},
    words: ['Reads only. An event lands here when its reader refused it or failed at it too often; others go on past it.'],
    examples: ['dead-letters'],
  },
  replay: {
    summary: 'have a dead letter read again',
    positional: 'the id of an event',
    usage: ['replay <event id> --by NAME [--group G]'],
    options: { by: BY, group: { type: 'string', value: 'G', help: 'the group of readers, where several have this event' } },
    words: ['First put right what its reader choked on. The running Vuka reads it again within seconds, or at its next start.'],
    examples: ['replay 0193f1c2-7c1e-7a40-9d7e-2f5a3b9c0d11 --by "Ann Otieno"'],
  },
  unapplied: {
    summary: 'value that arrived on chain and was used for nothing, or is to be sent back, oldest first',
    positional: null,
    usage: ['unapplied'],
    options: {},
    words: ['Reads only. It is the partner\'s: it goes to its wallet by policy, or back on chain when the partner asks for that.'],
    examples: ['unapplied'],
  },
  ledger: {
    summary: "the ledger's standing rules, and every balance from its entries",
    positional: null,
    usage: ['ledger'],
    options: {},
    words: ['Reads only. Ends with 1 where a rule is broken.'],
    examples: ['ledger'],
  },
} as const satisfies Record<string, CommandHelp>;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];
