import { BY, REASON, type CommandHelp, type Option } from './command-options.js';

const PARTNER: Option = { type: 'string', value: 'N', help: 'the partner, where two of them use the same code' };

export const TROUBLE_COMMANDS = {
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
    words: [
      'Reads only. Account and phone numbers are masked.',
      'Of checkout: the number of an order, or the code of the transaction that credits it.',
    ],
    examples: ['show order-1042', 'show order-1042 --partner 2'],
  },
  release: {
    summary: 'try a parked transaction again now',
    positional: 'a transaction code or id',
    usage: ['release <code or id> --reason "…" --by NAME [--partner N]'],
    options: { reason: REASON, by: BY, partner: PARTNER },
    words: [
      'A parked transaction (QUEUED: no float, no provider, a fault in our settings) is tried again by itself until its deadline.',
      'Once you have put the cause right, this makes it due now. The deadline stays. Nothing can be paid twice by it.',
    ],
    examples: ['release order-1042 --reason "float topped up, ticket 12" --by "Ann Otieno"'],
  },
  settle: {
    summary: 'say what became of a payment its provider leaves open; a second person approves',
    positional: 'a transaction code or id',
    usage: [
      'settle <code or id> --paid --receipt R [--amount X] --evidence "…" --by NAME',
      'settle <code or id> --not-paid --evidence "…" --by NAME',
    ],
    options: {
      paid: { type: 'boolean', value: '', help: 'the recipient has the money' },
      'not-paid': {
        type: 'boolean',
        value: '',
        help: 'the recipient has not and will not get it: the money goes back to the wallet',
      },
      receipt: { type: 'string', value: 'R', help: "with --paid: the provider's number of the payment" },
      amount: {
        type: 'string',
        value: 'X',
        help: 'with --paid: what the provider paid, where that is not what it was told to',
      },
      evidence: {
        type: 'string',
        value: '"…"',
        help: 'what proves it and where it can be seen: a statement line, a ticket',
      },
      by: BY,
      partner: PARTNER,
    },
    words: [
      'Only for IN_DOUBT and REVIEW. This proposes; nothing moves until somebody else approves.',
      'Not sure? Then do not settle. A payment said "not paid" that was paid is money lost; IN_DOUBT never fails by time.',
    ],
    examples: [
      'settle order-1042 --paid --receipt SBX7J5X8Q2V0K --evidence "provider portal, payout 0193…, 12 May" --by "Ann Otieno"',
      'settle order-1042 --not-paid --evidence "provider ticket 5512: never received" --by "Ann Otieno"',
    ],
  },
  clear: {
    summary: 'let a payment go on that screening has stopped; a second person approves',
    positional: 'a transaction code or id',
    usage: ['clear <code or id> --evidence "…" --by NAME [--partner N]'],
    options: {
      evidence: { type: 'string', value: '"…"', help: 'why it may be paid, and where that can be seen' },
      by: BY,
      partner: PARTNER,
    },
    words: [
      'Only for REVIEW before anything was sent. This proposes; nothing moves until somebody else approves. Then it goes to its provider.',
      'It must not be paid? Then settle it with --not-paid: its value goes to the wallet, or back on chain where an address was given.',
    ],
    examples: ['clear order-1042 --evidence "name alike only, ticket 77" --by "Ann Otieno"'],
  },
  approve: {
    summary: "carry out somebody else's settlement",
    positional: 'the number of a settlement',
    usage: ['approve <settlement> --by NAME'],
    options: { by: BY },
    words: [
      'Look at the evidence yourself first: npm run vuka -- show <code>. Whoever proposed it cannot approve it.',
      'This moves money and cannot be taken back.',
    ],
    examples: ['approve 7 --by "Ben Mwangi"'],
  },
  withdraw: {
    summary: 'take a proposed settlement back',
    positional: 'the number of a settlement',
    usage: ['withdraw <settlement> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['Only before it is approved. Nothing has moved, and nothing moves.'],
    examples: ['withdraw 7 --reason "the wrong receipt" --by "Ann Otieno"'],
  },
  resolve: {
    summary: 'close an incident, saying what was found and done',
    positional: 'the number of an incident',
    usage: ['resolve <incident> --by NAME --note "…"'],
    options: {
      by: BY,
      note: { type: 'string', value: '"…"', help: 'what was found and done; no account or phone numbers' },
    },
    words: ['It moves no money: it says that somebody has seen to it.'],
    examples: ['resolve 3 --by "Ann Otieno" --note "provider refunded the second payment, ticket 5512"'],
  },
  'dead-letters': {
    summary: 'events that a reader could not take in',
    positional: null,
    usage: ['dead-letters'],
    options: {},
    words: [
      'Reads only. An event lands here when its reader refused it or failed at it too often; others go on past it.',
    ],
    examples: ['dead-letters'],
  },
  replay: {
    summary: 'have a dead letter read again',
    positional: 'the id of an event',
    usage: ['replay <event id> --reason "…" --by NAME [--group G]'],
    options: {
      reason: REASON,
      by: BY,
      group: { type: 'string', value: 'G', help: 'the group of readers, where several have this event' },
    },
    words: [
      'First put right what its reader choked on. The running Vuka reads it again within seconds, or at its next start.',
    ],
    examples: [
      'replay 0193f1c2-7c1e-7a40-9d7e-2f5a3b9c0d11 --reason "the reader is put right, ticket 31" --by "Ann Otieno"',
    ],
  },
  callbacks: {
    summary: 'where providers call back, and what they called back about that is not ours',
    positional: null,
    usage: ['callbacks'],
    options: {},
    words: [
      "Reads only. It prints the secret paths for the providers' dashboards: put our public address before them.",
      'Whoever knows a path can have us ask a provider, and no more.',
    ],
    examples: ['callbacks'],
  },
  'callbacks-resolve': {
    summary: 'say that people have seen to the callbacks of a provider that are not ours',
    positional: 'a provider',
    usage: ['callbacks-resolve <provider> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['It moves no money. The alarm ends until another one comes.'],
    examples: ['callbacks-resolve pawapay --reason "another system of ours, ticket 12" --by "Ann Otieno"'],
  },
  unapplied: {
    summary: 'value that arrived on chain and was used for nothing, or is to be sent back, oldest first',
    positional: null,
    usage: ['unapplied'],
    options: {},
    words: [
      "Reads only. It is the partner's: it goes to its wallet by policy, or back on chain when the partner asks for that.",
    ],
    examples: ['unapplied'],
  },
  orders: {
    summary: 'orders of checkout that are open, what each waits for, and which are stuck',
    positional: null,
    usage: ['orders'],
    options: {},
    words: [
      'Reads only. An order ends when its chain was looked through past its end: none fails because a chain is behind.',
    ],
    examples: ['orders'],
  },
  refunds: {
    summary: 'what is to go back on chain and has not got there, oldest first',
    positional: null,
    usage: ['refunds'],
    options: {},
    words: [
      'Reads only. HELD waits for its grant, GRANTED for a signature; SIGNED and BROADCAST may be on the chain. Its value is held meanwhile.',
    ],
    examples: ['refunds'],
  },
  'refunds-export': {
    summary: 'write refunds that wait for their signature into a file, for the machine that has the key',
    positional: null,
    usage: ['refunds-export --out FILE'],
    options: { out: { type: 'string', value: 'FILE', help: 'a new file; it holds nothing secret' } },
    words: [
      'Sign it elsewhere, on a machine without a network: npm run --silent keys -- sign FILE. A transfer of Solana must be back within a minute.',
    ],
    examples: ['refunds-export --out /media/stick/refunds.json'],
  },
  'refunds-import': {
    summary: 'take in what was signed, and give it to the chains',
    positional: 'a file',
    usage: ['refunds-import FILE --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'Each is compared with what was asked for, to the byte, and its deposit looked at once more. Ends with 1 where one is not taken. A repeat changes nothing.',
    ],
    examples: ['refunds-import /media/stick/signed.json --reason "signed by Ben on 12 May" --by "Ann Otieno"'],
  },
  'refund-cancel': {
    summary: "give a refund up that is not signed: its value is the partner's again",
    positional: 'the number of a refund',
    usage: ['refund-cancel <refund> --reason "…" --by NAME'],
    options: { reason: { type: 'string', value: '"…"', help: 'why, and where that can be seen' }, by: BY },
    words: [
      'Only before it is signed here. One that was taken out may be signed and sent already: have that file destroyed. Its value stays held until its chain proves that it never got in; then it ends by itself.',
    ],
    examples: ['refund-cancel 1042 --reason "the partner asked for another address, ticket 91" --by "Ann Otieno"'],
  },
  'refund-clear': {
    summary: 'let a refund go that screening has stopped, what its partner may owe, or what it costs',
    positional: 'the number of a refund',
    usage: ['refund-clear <refund> --reason "…" --by NAME'],
    options: {
      reason: { type: 'string', value: '"…"', help: 'why it may be sent, and where that can be seen' },
      by: BY,
    },
    words: [
      'Only for one that waits because screening has marked who sent the value, or where it goes, because another deposit of its partner has vanished, or because its transfer costs more than it may. Then it may cost up to twice what its trouble says.',
      'It must not be sent? Then leave it, or give it up with refund-cancel: its value is held for the partner again.',
    ],
    examples: ['refund-clear 1042 --reason "name alike only, ticket 77" --by "Ann Otieno"'],
  },
  'refund-settle': {
    summary: 'say whether a refund got in whose chain can no longer be believed',
    positional: 'the number of a refund',
    usage: [
      'refund-settle <refund> --sent HASH --evidence "…" --by NAME',
      'refund-settle <refund> --not-sent --evidence "…" --by NAME',
    ],
    options: {
      sent: { type: 'string', value: 'HASH', help: 'the transaction by which it got in' },
      'not-sent': {
        type: 'boolean',
        value: '',
        help: 'nothing of it got in, and nothing will: it is prepared anew where its chain says so too',
      },
      evidence: {
        type: 'string',
        value: '"…"',
        help: 'what proves it and where it can be seen: an explorer, an archive node',
      },
      by: BY,
    },
    words: [
      'Only for one that npm run vuka -- refunds shows as unsure. Look up every transfer of it, and what has used its nonce, with somebody who keeps old blocks.',
      'Not sure? Then leave it. One said "not sent" that was sent is paid twice.',
    ],
    examples: [
      'refund-settle 1042 --sent 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060 --evidence "archive node, block 46147" --by "Ann Otieno"',
      'refund-settle 1042 --not-sent --evidence "explorer: nonce 7 is a sweep" --by "Ann Otieno"',
    ],
  },
  'return-address': {
    summary: 'register where refunds of a partner go that name no address',
    positional: 'the number of a partner',
    usage: [
      'return-address <partner> --chain C --address A --reason "…" --by NAME',
      'return-address <partner> --chain C --none --reason "…" --by NAME',
    ],
    options: {
      chain: { type: 'string', value: 'C', help: 'a chain; it counts for all of its kind: CELO for every EVM chain' },
      address: { type: 'string', value: 'A', help: 'the address there' },
      none: { type: 'boolean', value: '', help: 'instead of an address: nothing is registered any more' },
      reason: { type: 'string', value: '"…"', help: 'who asked for it, and how you know that it was them' },
      by: BY,
    },
    words: [
      'Money that is sent to a wrong address is gone: be sure who asks. Refunds that are under way keep their address.',
    ],
    examples: [
      'return-address 7 --chain CELO --address 0x52908400098527886E0F7030069857D2E4169EE7 --reason "signed letter, ticket 91" --by "Ann Otieno"',
    ],
  },
  unclaimed: {
    summary: 'value that arrived at addresses of ours and that nobody has claimed, oldest first',
    positional: null,
    usage: ['unclaimed [--minutes N] [--dust]'],
    options: {
      minutes: { type: 'string', value: 'N', help: 'only what has been there for so long; 30 unless told' },
      dust: { type: 'boolean', value: '', help: 'instead: what is worth less than a cent' },
    },
    words: [
      'Reads only. A pay that names its transaction claims it; what is not an accepted token, or names no partner, is for people to see to.',
    ],
    examples: ['unclaimed', 'unclaimed --minutes 1440'],
  },
  switches: {
    summary: 'chains and tokens that are switched off, and every time that one was',
    positional: null,
    usage: ['switches'],
    options: {},
    words: ['Reads only.'],
    examples: ['switches'],
  },
  'switch-off': {
    summary: 'take nothing on a chain, or of a token on it, until it is on again',
    positional: 'a chain',
    usage: ['switch-off <chain> [token] --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'Within seconds: no quote, no new pay (503), no address is shown; claims that wait go on waiting and none fails; nothing is paid back there.',
      'What arrives all the same is seen, and can be claimed when it is on again.',
    ],
    examples: [
      'switch-off POLYGON --reason "endpoints tell different chains, ticket 40" --by "Ann Otieno"',
      'switch-off CELO USDT --reason "issuer froze transfers" --by "Ann Otieno"',
    ],
  },
  'switch-on': {
    summary: 'undo switch-off: what waited is looked at again',
    positional: 'a chain',
    usage: ['switch-on <chain> [token] --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['A chain that is switched on has its tokens as they were: one that was switched off by itself stays off.'],
    examples: ['switch-on POLYGON --reason "they agree again" --by "Ben Mwangi"'],
  },
  ledger: {
    summary: "the ledger's standing rules, what offramp, chains and providers say of it, and balances",
    positional: null,
    usage: ['ledger'],
    options: {},
    words: [
      'Reads only. Ends with 0 where no rule is broken, with 1 where one is. Ends with 3 where none is, and something was away that should have been read.',
      'What was not read is named, and not judged. What is stopped, not configured here or with people is no 3. A difference is looked at for half a minute before it is told.',
    ],
    examples: ['ledger'],
  },
} as const satisfies Record<string, CommandHelp>;
