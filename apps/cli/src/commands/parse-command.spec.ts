import { describe, expect, it } from '@jest/globals';

import { COMMAND_NAMES, COMMANDS } from './command-list.js';
import { parseCommand } from './parse-command.js';
import { helpText } from './help.js';

const EVENT = '0193f1c2-7c1e-7a40-9d7e-2f5a3b9c0d11';
const ACT = ['--reason', 'ticket 7', '--by', 'Ann'];
const BY_ANN = { reason: 'ticket 7', by: 'Ann' };

describe('words that are a command', () => {
  it.each([
    [['stuck'], { name: 'stuck' }],
    [['ledger'], { name: 'ledger', seal: null }],
    [['ledger', '--head', 'h.txt'], { name: 'ledger', seal: { file: 'h.txt', write: false, archives: [] } }],
    [
      ['ledger', '--write-head', 'h.txt', '--archive', 'a.tsv,b.tsv'],
      { name: 'ledger', seal: { file: 'h.txt', write: true, archives: ['a.tsv', 'b.tsv'] } },
    ],
    [['unapplied'], { name: 'unapplied' }],
    [['refunds'], { name: 'refunds' }],
    [['orders'], { name: 'orders' }],
    [['refunds-export', '--out', 'a.json'], { name: 'refunds-export', out: 'a.json' }],
    [['refunds-import', 'a.json', ...ACT], { name: 'refunds-import', file: 'a.json', ...BY_ANN }],
    [
      ['refund-cancel', '7', '--reason', 'asked', '--by', 'Ann'],
      { name: 'refund-cancel', refundId: 7, reason: 'asked', by: 'Ann' },
    ],
    [
      ['refund-clear', '7', '--reason', 'alike', '--by', 'Ann'],
      { name: 'refund-clear', refundId: 7, reason: 'alike', by: 'Ann' },
    ],
    [
      ['refund-settle', '7', '--sent', '0xab', '--evidence', 'explorer', '--by', 'Ann'],
      { name: 'refund-settle', refundId: 7, sent: '0xab', evidence: 'explorer', by: 'Ann' },
    ],
    [
      ['refund-settle', '7', '--not-sent', '--evidence', 'explorer', '--by', 'Ann'],
      { name: 'refund-settle', refundId: 7, sent: null, evidence: 'explorer', by: 'Ann' },
    ],
    [['unclaimed'], { name: 'unclaimed', minutes: null, dust: false }],
    [['unclaimed', '--minutes', '60', '--dust'], { name: 'unclaimed', minutes: 60, dust: true }],
    [['switches'], { name: 'switches' }],
    [['corridors'], { name: 'corridors' }],
    [
      ['corridor-off', '--provider', 'pawapay', ...ACT],
      { name: 'corridor-off', provider: 'pawapay', currency: null, kind: null, network: null, ...BY_ANN },
    ],
    [
      ['corridor-on', '--provider', 'pawapay', '--currency', 'ghs', '--kind', 'mobile', '--network', 'MTN', ...ACT],
      { name: 'corridor-on', provider: 'pawapay', currency: 'GHS', kind: 'mobile', network: 'MTN', ...BY_ANN },
    ],
    [['callbacks'], { name: 'callbacks' }],
    [['callbacks-resolve', 'pawapay', ...ACT], { name: 'callbacks-resolve', provider: 'pawapay', ...BY_ANN }],
    [
      ['switch-off', 'CELO', '--reason', 'down', '--by', 'Ann'],
      { name: 'switch-off', chain: 'CELO', asset: null, reason: 'down', by: 'Ann' },
    ],
    [
      ['switch-on', 'CELO', 'USDT', '--reason', 'up', '--by', 'Ann'],
      { name: 'switch-on', chain: 'CELO', asset: 'USDT', reason: 'up', by: 'Ann' },
    ],
    [
      ['return-address', '7', '--chain', 'CELO', '--address', '0x1', '--reason', 'dead_letter', '--by', 'Ann'],
      { name: 'return-address', partnerId: 7, chain: 'CELO', address: '0x1', reason: 'dead_letter', by: 'Ann' },
    ],
    [
      ['return-address', '7', '--chain', 'CELO', '--none', '--reason', 'dead_letter', '--by', 'Ann'],
      { name: 'return-address', partnerId: 7, chain: 'CELO', address: null, reason: 'dead_letter', by: 'Ann' },
    ],
    [['dead-letters'], { name: 'dead-letters' }],
    [['show', 'order-1'], { name: 'show', transaction: { codeOrId: 'order-1', partnerId: null } }],
    [['show', '--partner', '2', 'order-1'], { name: 'show', transaction: { codeOrId: 'order-1', partnerId: 2 } }],
    [['--partner=2', 'show', 'order-1'], { name: 'show', transaction: { codeOrId: 'order-1', partnerId: 2 } }],
    [['show', 'show'], { name: 'show', transaction: { codeOrId: 'show', partnerId: null } }],
    [['release', '1042', ...ACT], { name: 'release', transaction: { codeOrId: '1042', partnerId: null }, ...BY_ANN }],
    [
      [
        'settle',
        'a',
        '--paid',
        '--receipt',
        'R1',
        '--amount',
        '10.50',
        '--evidence',
        ' page 4 ',
        '--by',
        ' Ann   Otieno ',
      ],
      {
        name: 'settle',
        transaction: { codeOrId: 'a', partnerId: null },
        verdict: { outcome: 'paid', receipt: 'R1', amount: '10.50' },
        evidence: 'page 4',
        by: 'Ann Otieno',
      },
    ],
    [
      ['settle', 'a', '--not-paid', '--evidence', 'ticket', '--by', 'Ann'],
      {
        name: 'settle',
        transaction: { codeOrId: 'a', partnerId: null },
        verdict: { outcome: 'not_paid' },
        evidence: 'ticket',
        by: 'Ann',
      },
    ],
    [
      ['clear', 'a', '--evidence', 'ticket', '--by', 'Ann', '--partner', '2'],
      { name: 'clear', transaction: { codeOrId: 'a', partnerId: 2 }, evidence: 'ticket', by: 'Ann' },
    ],
    [['approve', '7', '--by', 'Ben'], { name: 'approve', settlementId: 7, by: 'Ben' }],
    [['withdraw', '7', ...ACT], { name: 'withdraw', settlementId: 7, ...BY_ANN }],
    [['resolve', '3', '--by', 'Ann', '--note', 'done'], { name: 'resolve', incidentId: 3, by: 'Ann', note: 'done' }],
    [
      ['replay', EVENT.toUpperCase(), ...ACT, '--group', 'notifier'],
      { name: 'replay', eventId: EVENT, group: 'notifier', ...BY_ANN },
    ],
    [['partners'], { name: 'partners', before: null }],
    [['partner', 'Nairobi Shoes'], { name: 'partner', partner: 'Nairobi Shoes' }],
    [
      ['partner-create', ' Nairobi Shoes ', '--email', 'a@b.c', ...ACT],
      { name: 'partner-create', called: 'Nairobi Shoes', email: 'a@b.c', ...BY_ANN },
    ],
    [['partner-suspend', '7', ...ACT], { name: 'partner-suspend', partner: 7, ...BY_ANN }],
    [
      [
        'key-issue',
        '7',
        '--kind',
        'checkout',
        '--scopes',
        'orders, read',
        '--addresses',
        '10.0.0.0/8',
        '--expires',
        '2027-01-31',
        ...ACT,
      ],
      {
        name: 'key-issue',
        partner: 7,
        kind: 'checkout',
        key: { scopes: ['orders', 'read'], addresses: ['10.0.0.0/8'], expiresAt: new Date('2027-01-31T00:00:00.000Z') },
        ...BY_ANN,
      },
    ],
    [
      ['key-rotate', 'vk_test_consumer_a1-b2', '--overlap', '0', ...ACT],
      { name: 'key-rotate', visiblePrefix: 'vk_test_consumer_a1-b2', overlapHours: 0, key: {}, ...BY_ANN },
    ],
    [
      ['key-revoke', 'vk_live_checkout_a1', ...ACT],
      { name: 'key-revoke', visiblePrefix: 'vk_live_checkout_a1', ...BY_ANN },
    ],
    [['terms', '7'], { name: 'terms', partner: 7, to: null }],
    [['terms', '7', '--file', 'a.json', ...ACT], { name: 'terms', partner: 7, to: { file: 'a.json', ...BY_ANN } }],
    [['terms', '7', '--none', ...ACT], { name: 'terms', partner: 7, to: { file: null, ...BY_ANN } }],
    [['webhook-set', '7', '--none', ...ACT], { name: 'webhook-set', partner: 7, url: null, ...BY_ANN }],
    [
      ['webhook-secret-rotate', '7', '--force', ...ACT],
      { name: 'webhook-secret-rotate', partner: 7, overlapHours: null, force: true, ...BY_ANN },
    ],
    [['deliveries', '7', '--failed'], { name: 'deliveries', partner: 7, state: 'failed', code: null, cursor: null }],
    [['webhooks-resend', '7', '--id', '12', ...ACT], { name: 'webhooks-resend', partner: 7, id: 12, ...BY_ANN }],
    [
      ['fund', '7', '--currency', 'kes', '--amount', '50000', ...ACT],
      { name: 'fund', partner: 7, currency: 'KES', amount: '50000', ...BY_ANN },
    ],
    [['adjustments', '--open', '--partner', '7'], { name: 'adjustments', partnerId: 7, open: true, before: null }],
    [['approve-adjustment', '3', ...ACT], { name: 'approve-adjustment', adjustmentId: 3, ...BY_ANN }],
    [
      [
        ...['float-move', 'float_funded', '--provider', 'pawapay', '--wallet', 'ke', '--currency', 'kes'],
        ...['--amount', '250000', '--evidence', 'bank line 9', '--by', 'Ann'],
      ],
      {
        name: 'float-move',
        kind: 'float_funded',
        provider: 'pawapay',
        wallet: 'ke',
        currency: 'KES',
        amount: '250000',
        asset: null,
        tokens: null,
        evidence: 'bank line 9',
        by: 'Ann',
      },
    ],
    [
      [
        ...['float-move', 'stablecoin_sold', '--token', 'USDC@CELO', '--tokens', '3.5', '--currency', 'KES'],
        ...['--amount', '450.00', '--evidence', 'desk note 4', '--by', 'Ann'],
      ],
      {
        name: 'float-move',
        kind: 'stablecoin_sold',
        provider: null,
        wallet: null,
        currency: 'KES',
        amount: '450.00',
        asset: 'USDC@CELO',
        tokens: '3.5',
        evidence: 'desk note 4',
        by: 'Ann',
      },
    ],
    [['float-movements', '--open'], { name: 'float-movements', open: true, before: null }],
    [['float-approve', '3', ...ACT], { name: 'float-approve', movementId: 3, ...BY_ANN }],
    [['float-withdraw', '3', ...ACT], { name: 'float-withdraw', movementId: 3, ...BY_ANN }],
    [['unfreeze', 'Nairobi Shoes', ...ACT], { name: 'unfreeze', partner: 'Nairobi Shoes', ...BY_ANN }],
    [
      ['statement', '7', '--currency', 'KES', '--from', '2026-02-28', '--to', '2026-02-28', '--out', 'a.csv'],
      {
        name: 'statement',
        partner: 7,
        currency: 'KES',
        from: '2026-02-28T00:00:00.000Z',
        before: '2026-03-01T00:00:00.000Z',
        out: 'a.csv',
      },
    ],
    [['cipher-rotate'], { name: 'cipher-rotate' }],
    [['acts', '--by', 'Ann'], { name: 'acts', partnerId: null, by: 'Ann', service: null, before: null }],
    [
      ['acts', '--service', 'payments', '--before', '7'],
      { name: 'acts', partnerId: null, by: null, service: 'payments', before: 7 },
    ],
  ])('%j', (argv, command) => {
    expect(parseCommand(argv)).toEqual({ kind: 'command', command, json: false });
    expect(parseCommand([...argv, '--json'])).toEqual({ kind: 'command', command, json: true });
  });
});

describe('wrong usage gives a sentence, and names the intended command', () => {
  it.each([
    [['shwo'], null, /no command "shwo"/],
    [['--json'], null, /command is missing/],
    [['show'], 'show', /needs a transaction code or id/],
    [['show', 'a', 'b'], 'show', /"b" is one word too many/],
    [['stuck', 'a'], 'stuck', /"a" is one word too many/],
    [['show', 'a b'], 'show', /not a transaction code/],
    [['float-move', 'float_found', '--by', 'Ann'], 'float-move', /not a float movement/],
    [
      ['float-move', 'float_funded', '--provider', 'pawapay', '--currency', 'KES', '--amount', '1'],
      'float-move',
      /--wallet is missing/,
    ],
    [
      ['float-move', 'bank_funded', '--wallet', 'ke', '--currency', 'KES', '--amount', '1'],
      'float-move',
      /takes no --wallet/,
    ],
    [['refunds-export'], 'refunds-export', /--out is missing/],
    [['refunds-import'], 'refunds-import', /needs a file/],
    [['refund-settle', '7', '--evidence', 'x', '--by', 'Ann'], 'refund-settle', /either --sent/],
    [
      ['refund-settle', '7', '--sent', '0xab', '--not-sent', '--evidence', 'x', '--by', 'Ann'],
      'refund-settle',
      /or --not-sent/,
    ],
    [['switch-off', '--reason', 'down', '--by', 'Ann'], 'switch-off', /needs a chain/],
    [
      ['switch-off', 'CELO', 'USDT', 'USDC', '--reason', 'down', '--by', 'Ann'],
      'switch-off',
      /"USDC" is one word too many/,
    ],
    [['switch-off', 'CELO', '--by', 'Ann'], 'switch-off', /--reason is missing/],
    [['corridor-off', ...ACT], 'corridor-off', /--provider is missing/],
    [['corridor-off', '--provider', 'pawapay', '--kind', 'bank', ...ACT], 'corridor-off', /--kind needs --currency/],
    [['switch-on', 'CELO', '--reason', 'up'], 'switch-on', /--by is missing/],
    [['unclaimed', '--minutes', 'ten'], 'unclaimed', /number of minutes must be a whole number/],
    [['show', 'a', '--partner'], 'show', /--partner needs a value/],
    [['show', 'a', '--partner', '0'], 'show', /--partner must be a whole number/],
    [['show', 'a', '--force'], 'show', /show has no option --force/],
    [['settle', 'a', '--evidence', 'e', '--by', 'Ann'], 'settle', /--paid or --not-paid/],
    [
      ['settle', 'a', '--paid', '--not-paid', '--receipt', 'R', '--evidence', 'e', '--by', 'Ann'],
      'settle',
      /--paid or --not-paid/,
    ],
    [['settle', 'a', '--paid', '--evidence', 'e', '--by', 'Ann'], 'settle', /--paid needs --receipt/],
    [['settle', 'a', '--paid', '--receipt', 'two words', '--evidence', 'e', '--by', 'Ann'], 'settle', /without spaces/],
    [['settle', 'a', '--not-paid', '--receipt', 'R', '--evidence', 'e', '--by', 'Ann'], 'settle', /no --receipt/],
    [['settle', 'a', '--not-paid', '--evidence', '  ', '--by', 'Ann'], 'settle', /--evidence is missing/],
    [['settle', 'a', '--not-paid', '--evidence', 'e'], 'settle', /--by is missing/],
    [['settle', 'a', '--not-paid', '--evidence', 'e', '--by', 'A\u001b[2J'], 'settle', /--by must be a name/],
    [['clear', 'a', '--by', 'Ann'], 'clear', /--evidence is missing/],
    [['approve', '7'], 'approve', /--by is missing/],
    [['withdraw', '7', '--by', 'Ann'], 'withdraw', /--reason is missing/],
    [['release', 'a', '--reason', 'r'], 'release', /--by is missing/],
    [
      ['return-address', '7', '--address', '0x1', '--reason', 'r', '--by', 'Ann'],
      'return-address',
      /--chain is missing/,
    ],
    [
      ['return-address', '7', '--chain', 'CELO', '--reason', 'r', '--by', 'Ann'],
      'return-address',
      /either --address or --none/,
    ],
    [['return-address', '7', '--chain', 'CELO', '--none', '--by', 'Ann'], 'return-address', /--reason is missing/],
    [
      ['return-address', 'x', '--chain', 'CELO', '--none', '--reason', 'r', '--by', 'Ann'],
      'return-address',
      /number of a partner must be/,
    ],
    [['approve', 'seven', '--by', 'Ben'], 'approve', /number of a settlement must be/],
    [['resolve', '3', '--by', 'Ann'], 'resolve', /--note is missing/],
    [['replay', 'x', '--by', 'Ann'], 'replay', /not an event id/],
    [['partner'], 'partner', /needs the number or the name of a partner/],
    [['partner-create', 'a\nb', '--email', 'a@b.c', ...ACT], 'partner-create', /one line/],
    [['key-issue', '7', ...ACT], 'key-issue', /--kind is missing/],
    [['key-issue', '7', '--kind', 'admin', ...ACT], 'key-issue', /consumer or checkout/],
    [['key-issue', '7', '--kind', 'consumer', '--scopes', 'a,,b', ...ACT], 'key-issue', /separated by commas/],
    [['key-issue', '7', '--kind', 'consumer', '--expires', 'tomorrow', ...ACT], 'key-issue', /--expires must be a day/],
    // A whole key must not be typed: it would stay in the shell's history, and in ours.
    [['key-revoke', `vk_test_consumer_a1_${'s'.repeat(43)}`, ...ACT], 'key-revoke', /Do not type the whole key/],
    [['key-rotate', 'a1b2', ...ACT], 'key-rotate', /not the visible part of a key/],
    [['terms', '7', '--file', 'a', '--none', ...ACT], 'terms', /either --file or --none/],
    [['terms', '7', ...ACT], 'terms', /give --file or --none as well/],
    [['terms', '7', '--none', '--by', 'Ann'], 'terms', /--reason is missing/],
    [['webhook-set', '7', ...ACT], 'webhook-set', /either --url or --none/],
    [['deliveries', '7', '--state', 'lost'], 'deliveries', /--state must be one of/],
    [['webhooks-resend', '7', ...ACT], 'webhooks-resend', /either --failed, for all/],
    [['fund', '7', '--currency', 'KES', '--amount', '-5', ...ACT], 'fund', /.+/],
    [['fund', '7', '--currency', 'KES', '--amount', '1e3', ...ACT], 'fund', /--amount "1e3" is not valid/],
    [['debit', '7', '--currency', 'K', '--amount', '1', ...ACT], 'debit', /three letters/],
    [['acts', '--before', '7'], 'acts', /--before needs --service/],
    [['acts', '--service', 'validation'], 'acts', /--service must be one of/],
    [
      ['statement', '7', '--currency', 'KES', '--from', '2026-02-30', '--to', '2026-03-01'],
      'statement',
      /--from must be a day that exists/,
    ],
    [
      ['statement', '7', '--currency', 'KES', '--from', '2026-03-02', '--to', '2026-03-01'],
      'statement',
      /must not be before --from/,
    ],
    [
      ['statement', '7', '--currency', 'KES', '--from', '2026-03-01', '--to', '2026-03-01', '--json'],
      'statement',
      /--out is missing/,
    ],
  ])('%j', (argv, about, problem) => {
    expect(parseCommand(argv)).toEqual({
      kind: 'wrong_usage',
      about,
      problem: expect.stringMatching(problem),
      json: argv.includes('--json'),
    });
  });
});

describe('a personal credential', () => {
  it('gives the name if --by does not, and leaves the check of --by to the service', () => {
    expect(parseCommand(['approve', '7'], 'Ann Otieno')).toMatchObject({ command: { by: 'Ann Otieno' } });
    expect(parseCommand(['approve', '7', '--by', 'Ben'], 'Ann Otieno')).toMatchObject({ command: { by: 'Ben' } });
  });
});

describe('help', () => {
  it.each([
    [[], null],
    [['--help'], null],
    [['help'], null],
    [['settle', '--help'], 'settle'],
    [['help', 'settle'], 'settle'],
    [['-h', 'stuck'], 'stuck'],
  ])('%j', (argv, about) => {
    expect(parseCommand(argv)).toEqual({ kind: 'help', about });
  });

  it('names every command, and of each command every option', () => {
    const all = helpText(null);
    for (const name of COMMAND_NAMES) {
      expect(all).toContain(`  ${name} `);
      const one = helpText(name);
      for (const option of [...Object.keys(COMMANDS[name].options), 'json'])
        expect(one).toMatch(new RegExp(`^ {2}--${option}\\b`, 'm'));
    }
  });

  it('gives examples that parse, and fits a terminal', () => {
    for (const name of COMMAND_NAMES) {
      for (const example of COMMANDS[name].examples) {
        const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
        expect(parseCommand(words)).toMatchObject({ kind: 'command', command: { name } });
      }
    }
    for (const line of helpText(null).split('\n')) expect(line.length).toBeLessThanOrEqual(115);
  });
});
