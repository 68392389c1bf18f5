import { ANY, BY, REASON, type CommandHelp, type Option } from './command-options.js';

const PARTNER: Option = {
  type: 'string',
  value: 'N',
  help: 'the number of the partner, needed when two partners use the same code',
};

const CORRIDOR = {
  provider: { type: 'string', value: 'R', help: 'its id in the providers file: pawapay' },
  currency: { type: 'string', value: 'C', help: 'only what is paid in it: three letters' },
  kind: { type: 'string', value: 'K', help: 'with --currency: only to mobile, paybill, till or bank' },
  network: { type: 'string', value: 'N', help: 'with --kind mobile: only to this network' },
} as const satisfies Record<string, Option>;

export const TROUBLE_COMMANDS = {
  stuck: {
    summary: 'show what is not moving and why, oldest first, with the next command',
    positional: null,
    usage: ['stuck'],
    options: {},
    words: ['Start here. Reads only. If nothing is stuck, it says so.'],
    examples: ['stuck'],
  },
  show: {
    summary: 'show one transaction: terms, timeline, attempts, postings, webhooks, incidents',
    positional: 'a transaction code or id',
    usage: ['show <code or id> [--partner N]'],
    options: { partner: PARTNER },
    words: [
      'Reads only. Account and phone numbers are masked.',
      'For checkout, give the number of an order, or the code of the transaction that credits it.',
    ],
    examples: ['show order-1042', 'show order-1042 --partner 2'],
  },
  release: {
    summary: 'try a parked transaction again now',
    positional: 'a transaction code or id',
    usage: ['release <code or id> --reason "…" --by NAME [--partner N]'],
    options: { reason: REASON, by: BY, partner: PARTNER },
    words: [
      'A parked transaction (QUEUED) waits for float, for a provider or for correct settings. Vuka tries it again by itself until its deadline.',
      'When you have fixed the cause, this makes it due now. The deadline stays the same. It cannot cause a second payment.',
    ],
    examples: ['release order-1042 --reason "float topped up, ticket 12" --by "Ann Otieno"'],
  },
  settle: {
    summary: 'record whether a payment was made, if its provider cannot say; two people decide',
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
        help: 'the recipient does not have the money and will not get it: it goes back to the wallet',
      },
      receipt: { type: 'string', value: 'R', help: "with --paid: the provider's number of the payment" },
      amount: {
        type: 'string',
        value: 'X',
        help: 'with --paid: the amount that the provider paid, if it differs from the order',
      },
      evidence: {
        type: 'string',
        value: '"…"',
        help: 'what proves it, and where the proof can be seen: a statement line, a ticket',
      },
      by: BY,
      partner: PARTNER,
    },
    words: [
      'Only for IN_DOUBT and REVIEW. This is a proposal. No money moves until a second person approves it.',
      'Not sure? Then do not settle. If you say "not paid" and it was paid, that money is lost. IN_DOUBT has no deadline.',
    ],
    examples: [
      'settle order-1042 --paid --receipt SBX7J5X8Q2V0K --evidence "provider portal, payout 0193…, 12 May" --by "Ann Otieno"',
      'settle order-1042 --not-paid --evidence "provider ticket 5512: never received" --by "Ann Otieno"',
    ],
  },
  clear: {
    summary: 'continue a payment that screening stopped; a second person approves it',
    positional: 'a transaction code or id',
    usage: ['clear <code or id> --evidence "…" --by NAME [--partner N]'],
    options: {
      evidence: { type: 'string', value: '"…"', help: 'why it may be paid, and where the proof can be seen' },
      by: BY,
      partner: PARTNER,
    },
    words: [
      'Only for REVIEW before anything was sent. This is a proposal. When a second person approves it, the payment goes to its provider.',
      'If it must not be paid, settle it with --not-paid. Its value goes to the wallet, or back on chain if the request gave an address.',
    ],
    examples: ['clear order-1042 --evidence "name alike only, ticket 77" --by "Ann Otieno"'],
  },
  approve: {
    summary: 'approve what somebody else asked for, or a settlement that somebody else proposed',
    positional: 'the number of an approval (a12) or of a settlement (7)',
    usage: ['approve <approval or settlement> --by NAME'],
    options: { by: BY },
    words: [
      'First look for yourself: npm run vuka -- approvals, or show <code> for a settlement. Who asked for it cannot approve it.',
      'It is done at once, and a settlement moves money.',
    ],
    examples: ['approve a12 --by "Ben Mwangi"', 'approve 7 --by "Ben Mwangi"'],
  },
  withdraw: {
    summary: 'withdraw a proposed settlement',
    positional: 'the number of a settlement',
    usage: ['withdraw <settlement> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['Possible only before it is approved. No money has moved, and none moves.'],
    examples: ['withdraw 7 --reason "the wrong receipt" --by "Ann Otieno"'],
  },
  resolve: {
    summary: 'close an incident with a note',
    positional: 'the number of an incident',
    usage: ['resolve <incident> --by NAME --note "…"'],
    options: {
      by: BY,
      note: { type: 'string', value: '"…"', help: 'what you found and what you did, without account or phone numbers' },
    },
    words: ['This moves no money. It records that somebody has handled the incident.'],
    examples: ['resolve 3 --by "Ann Otieno" --note "provider refunded the second payment, ticket 5512"'],
  },
  'dead-letters': {
    summary: 'list the events that a consumer could not process',
    positional: null,
    usage: ['dead-letters'],
    options: {},
    words: [
      'Reads only. An event is here when its consumer refused it, or failed on it too often. Other events are processed without it.',
    ],
    examples: ['dead-letters'],
  },
  replay: {
    summary: 'process a dead letter again',
    positional: 'the id of an event',
    usage: ['replay <event id> --reason "…" --by NAME [--group G]'],
    options: {
      reason: REASON,
      by: BY,
      group: { type: 'string', value: 'G', help: 'the consumer group, needed when several groups have this event' },
    },
    words: [
      'First fix what its consumer failed on. A running Vuka processes it again within seconds; a stopped one does so at its next start.',
    ],
    examples: [
      'replay 0193f1c2-7c1e-7a40-9d7e-2f5a3b9c0d11 --reason "the consumer is fixed, ticket 31" --by "Ann Otieno"',
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
    summary: 'list the deposits that no payment has used, or that will be sent back, oldest first',
    positional: null,
    usage: ['unapplied'],
    options: {},
    words: [
      'Reads only. The value belongs to the partner. It goes to the wallet by policy, or back on chain when the partner asks for that.',
    ],
    examples: ['unapplied'],
  },
  orders: {
    summary: 'list the open checkout orders, what each waits for, and which are stuck',
    positional: null,
    usage: ['orders'],
    options: {},
    words: [
      'Reads only. An order ends only when its chain was read past the end of the order. So no order fails because a chain is behind.',
    ],
    examples: ['orders'],
  },
  refunds: {
    summary: 'list the refunds on chain that are not final yet, oldest first',
    positional: null,
    usage: ['refunds'],
    options: {},
    words: [
      'Reads only. HELD waits for its grant, and GRANTED waits for a signature. SIGNED and BROADCAST may be on the chain. The value is held until the refund ends.',
    ],
    examples: ['refunds'],
  },
  'refunds-export': {
    summary: 'write the refunds that wait for a signature into a file, for the machine with the key',
    positional: null,
    usage: ['refunds-export --out FILE'],
    options: { out: { type: 'string', value: 'FILE', help: 'a new file; it contains no secrets' } },
    words: [
      'Sign the file on a machine without a network: npm run --silent keys -- sign FILE. Bring back a Solana transfer within a minute, because it expires.',
    ],
    examples: ['refunds-export --out /media/stick/refunds.json'],
  },
  'refunds-import': {
    summary: 'import signed refunds, and send them to their chains',
    positional: 'a file',
    usage: ['refunds-import FILE --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'Each transfer must match its export to the byte, and its deposit is checked once more. The command ends with 1 if one is refused. A repeat changes nothing.',
    ],
    examples: ['refunds-import /media/stick/signed.json --reason "signed by Ben on 12 May" --by "Ann Otieno"'],
  },
  'refund-cancel': {
    summary: 'cancel a refund that is not signed: its value is available to the partner again',
    positional: 'the number of a refund',
    usage: ['refund-cancel <refund> --reason "…" --by NAME'],
    options: { reason: { type: 'string', value: '"…"', help: 'why, and where the proof can be seen' }, by: BY },
    words: [
      'Possible only before the signature is imported. An exported refund may be signed and sent already: have that file destroyed. Its value stays held until the chain proves that the transfer cannot arrive. Then the refund ends by itself.',
    ],
    examples: ['refund-cancel 1042 --reason "the partner asked for another address, ticket 91" --by "Ann Otieno"'],
  },
  'refund-clear': {
    summary: 'allow a refund that screening, debt or cost has stopped (by two people)',
    positional: 'the number of a refund',
    usage: ['refund-clear <refund> --reason "…" --by NAME'],
    options: {
      reason: { type: 'string', value: '"…"', help: 'why it may be sent, and where the proof can be seen' },
      by: BY,
    },
    words: [
      'Only for a refund that waits for one of these reasons: screening marked its sender or its recipient, another deposit of its partner vanished, or its transfer costs too much. Afterwards it may cost up to twice the amount that refunds shows.',
      'If it must not be sent, leave it, or cancel it with refund-cancel: then its value is kept for the partner.',
    ],
    examples: ['refund-clear 1042 --reason "name alike only, ticket 77" --by "Ann Otieno"'],
  },
  'refund-settle': {
    summary: 'record whether a refund reached its chain, which cannot prove it any more (by two people)',
    positional: 'the number of a refund',
    usage: [
      'refund-settle <refund> --sent HASH --evidence "…" --by NAME',
      'refund-settle <refund> --not-sent --evidence "…" --by NAME',
    ],
    options: {
      sent: { type: 'string', value: 'HASH', help: 'the transaction on the chain that carried it' },
      'not-sent': {
        type: 'boolean',
        value: '',
        help: 'no transfer of it is on the chain, or will be; it is prepared again if the chain agrees',
      },
      evidence: {
        type: 'string',
        value: '"…"',
        help: 'what proves it, and where the proof can be seen: an explorer, an archive node',
      },
      by: BY,
    },
    words: [
      'Only for a refund that npm run vuka -- refunds shows as unsure. Use a node or explorer that keeps old blocks. Look up every transfer of the refund, and what used its nonce.',
      'Not sure? Then leave it. If you say "not sent" and it was sent, it is paid twice.',
    ],
    examples: [
      'refund-settle 1042 --sent 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060 --evidence "archive node, block 46147" --by "Ann Otieno"',
      'refund-settle 1042 --not-sent --evidence "explorer: nonce 7 is a sweep" --by "Ann Otieno"',
    ],
  },
  'return-address': {
    summary: 'register the default return address for refunds of a partner (by two people)',
    positional: 'the number of a partner',
    usage: [
      'return-address <partner> --chain C --address A --reason "…" --by NAME',
      'return-address <partner> --chain C --none --reason "…" --by NAME',
    ],
    options: {
      chain: {
        type: 'string',
        value: 'C',
        help: 'a chain; the address is used on all chains of its family: CELO stands for every EVM chain',
      },
      address: { type: 'string', value: 'A', help: 'the address on that chain' },
      none: { type: 'boolean', value: '', help: 'instead of an address: remove the registered one' },
      reason: { type: 'string', value: '"…"', help: 'who asked for it, and how you know that it was really them' },
      by: BY,
    },
    words: [
      'Money that is sent to a wrong address is lost: make sure that the request comes from the partner. Refunds that have started keep their address.',
    ],
    examples: [
      'return-address 7 --chain CELO --address 0x52908400098527886E0F7030069857D2E4169EE7 --reason "signed letter, ticket 91" --by "Ann Otieno"',
    ],
  },
  unclaimed: {
    summary: 'list the transfers to our addresses that no payment has claimed, oldest first',
    positional: null,
    usage: ['unclaimed [--minutes N] [--dust]'],
    options: {
      minutes: { type: 'string', value: 'N', help: 'only those that are at least so old; 30 by default' },
      dust: { type: 'boolean', value: '', help: 'only those that are worth less than a cent' },
    },
    words: [
      'Reads only. A pay that names the transaction claims it. If the token is not accepted, or no partner is named, a person must decide.',
    ],
    examples: ['unclaimed', 'unclaimed --minutes 1440'],
  },
  switches: {
    summary: 'list the chains and tokens that are switched off, with the history',
    positional: null,
    usage: ['switches'],
    options: {},
    words: ['Reads only.'],
    examples: ['switches'],
  },
  'switch-off': {
    summary: 'stop deposits and refunds on a chain, or of one token on it',
    positional: 'a chain',
    usage: ['switch-off <chain> [token] --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: [
      'It takes effect within seconds. There are no quotes, no new pays (503) and no refunds there, and no address is shown. Claims keep waiting, and none fails.',
      'Transfers that still arrive are recorded. They can be claimed when the chain is on again.',
    ],
    examples: [
      'switch-off POLYGON --reason "endpoints disagree about blocks, ticket 40" --by "Ann Otieno"',
      'switch-off CELO USDT --reason "issuer froze transfers" --by "Ann Otieno"',
    ],
  },
  'switch-on': {
    summary: 'undo switch-off: what waited is checked again',
    positional: 'a chain',
    usage: ['switch-on <chain> [token] --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['When a chain is on again, a token that was switched off separately stays off.'],
    examples: ['switch-on POLYGON --reason "the endpoints agree again" --by "Ben Mwangi"'],
  },
  corridors: {
    summary: 'list every provider by corridor, which are switched off, with the history',
    positional: null,
    usage: ['corridors'],
    options: {},
    words: ['Reads only. A corridor is a currency, a kind of recipient, and of phones a network.'],
    examples: ['corridors'],
  },
  'corridor-off': {
    summary: 'send nothing new to a provider, or to one corridor of it',
    positional: null,
    usage: ['corridor-off --provider R [--currency C [--kind K [--network N]]] --reason "…" --by NAME'],
    options: { ...CORRIDOR, reason: REASON, by: BY },
    words: [
      'It takes effect within seconds. New payouts go to the next provider of their route, or wait in QUEUED until their deadline.',
      'What was sent already is asked about as before, and is not sent again.',
    ],
    examples: [
      'corridor-off --provider pawapay --reason "it times out, ticket 40" --by "Ann Otieno"',
      `corridor-off --provider pawapay --currency ${ANY} --kind mobile --reason "phones are down, ticket 41" --by "Ann Otieno"`,
    ],
  },
  'corridor-on': {
    summary: 'undo corridor-off: what waited is tried again',
    positional: null,
    usage: ['corridor-on --provider R [--currency C [--kind K [--network N]]] --reason "…" --by NAME'],
    options: { ...CORRIDOR, reason: REASON, by: BY },
    words: ['Name it as it was switched off. What another switch covers as well stays off.'],
    examples: ['corridor-on --provider pawapay --reason "it answers again" --by "Ben Mwangi"'],
  },
  ledger: {
    summary: 'check the rules of the ledger, and compare it with offramp, chains and providers',
    positional: null,
    usage: ['ledger', 'ledger --head FILE [--archive FILE,FILE]', 'ledger --write-head FILE [--archive FILE,FILE]'],
    options: {
      head: { type: 'string', value: 'FILE', help: 'verify the seal from its first block against this file' },
      'write-head': { type: 'string', value: 'FILE', help: 'as --head, then add the new blocks to the file' },
      archive: { type: 'string', value: 'FILE,FILE', help: 'exports of partitions that were dropped' },
    },
    words: [
      'Reads only. Exit codes: 0 no rule is broken, 1 a rule is broken, 3 no rule is broken but something could not be read.',
      'It names what it could not read, and does not judge it. Something that is stopped, not configured here or in review does not cause a 3. A difference must last half a minute before it is reported.',
      'Keep the file of --write-head on another machine, out of reach of whoever owns the database. Where something is broken, nothing is added to it.',
    ],
    examples: ['ledger', 'ledger --head heads.txt'],
  },
} as const satisfies Record<string, CommandHelp>;
