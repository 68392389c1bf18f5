import { describe, expect, it } from '@jest/globals';
import type { MemberView } from '@vuka/local-servers';
import { plainPaint } from '@vuka/terminal';

import { stackBanner } from './stack-banner.js';
import { durationText, statusPage } from './status-page.js';
import type { StackStatus } from './stack-view.js';

const NOW = new Date('2026-01-02T03:04:05Z');
const member = (name: string, kind: MemberView['kind'], over: Partial<MemberView> = {}): MemberView => ({
  name,
  kind,
  state: 'ready',
  detail: '',
  pid: 100,
  ports: { internal: 5_000 },
  restarts: 0,
  memoryBytes: 104_857_600,
  logFile: `/s/logs/${name}.log`,
  ...over,
});
const stack = (members: readonly MemberView[], over: Partial<StackStatus> = {}): StackStatus => ({
  ok: true,
  folder: '/s',
  supervisor: { pid: 1, since: '2026-01-02T03:00:05Z' },
  gateways: ['http://127.0.0.1:3100'],
  members,
  ...over,
});

describe('the status of a stack', () => {
  it('has a line for each process, and says that everything runs', () => {
    const page = statusPage(
      stack([
        member('kafka', 'server', {
          state: 'elsewhere',
          pid: null,
          memoryBytes: null,
          ports: { kafka: 9092 },
          detail: 'b:9092',
        }),
        member('gateway', 'service', { ports: { api: 3100, internal: 5001 }, restarts: 3 }),
      ]),
      plainPaint,
      NOW,
    );
    expect(page).toBe(
      [
        'http://127.0.0.1:3100   /s   up 4 min, 100 MB',
        '',
        'process  state      pid  ports                    restarts  memory',
        'kafka    elsewhere       9092                                       b:9092',
        'gateway  ready      100  api 3100, internal 5001         3  100 MB',
        '',
        '✓ Everything runs.',
      ].join('\n'),
    );
  });

  it.each([
    ['waiting' as const, '✗ payments: waiting\n  npm run stack -- logs payments'],
    ['stopped' as const, '✗ payments: stopped\n  npm run stack -- start payments'],
  ])('names what is %s, and what to do', (state, words) => {
    expect(
      statusPage(
        stack([member('gateway', 'service'), member('payments', 'service', { state, pid: null })]),
        plainPaint,
        NOW,
      ),
    ).toContain(words);
  });

  it('says that it does not run, and what a killed supervisor left', () => {
    expect(statusPage(stack([], { supervisor: null }), plainPaint, NOW)).toBe(
      '✗ The stack in /s does not run.\n  npm run stack',
    );
    const left = statusPage(stack([member('kafka', 'server', { pid: 77 })], { supervisor: null }), plainPaint, NOW);
    expect(left).toContain('left kafka (77)');
    expect(left).toContain('npm run stack -- stop');
  });

  it.each([
    [-5, '0 s'],
    [119_000, '119 s'],
    [120_000, '2 min'],
    [7_500_000, '2 h 5 min'],
  ])('%d ms is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

describe('the banner of a stack', () => {
  const partner = {
    id: 1,
    name: 'Sandbox One',
    consumer_key: 'vk_test_consumer_sandbox1_x',
    checkout_key: 'c',
    webhook_secret: 'w',
  };
  const facts = {
    directory: { base_url: 'http://127.0.0.1:3100', docs_url: 'http://127.0.0.1:3100/docs', partners: [partner] },
    sandboxFile: '/s/sandbox.json',
    readyAfterMs: 7_049,
    exampleReference: 'hello-1',
    deposit: { chain: 'CELO', asset: 'USDC', to: '0xabc' },
  };
  const members = [
    member('postgres', 'server', { ports: { postgres: 1 } }),
    member('kafka', 'server', { state: 'elsewhere', ports: { kafka: 9092 } }),
    member('redis', 'server', { ports: { redis: 3 } }),
    member('chain-celo', 'server', { ports: { 'chain-celo': 4 } }),
    member('chain-bnb', 'server', { ports: { 'chain-bnb': 5 } }),
    member('sandbox-provider', 'provider'),
    member('gateway', 'service'),
    member('gateway-2', 'service'),
    member('payments', 'service'),
  ];

  it('says where everything is, has commands to copy, and what comes next', () => {
    const text = stackBanner({
      ...facts,
      status: stack(members, { gateways: ['http://127.0.0.1:3100', 'http://127.0.0.1:3101'] }),
    });
    expect(text).toContain('Vuka is ready: http://127.0.0.1:3100   (distributed sandbox, after 7.0 s)');
    expect(text).toContain('  and        http://127.0.0.1:3101');
    expect(text).toContain(
      '3 services and 1 sandbox providers, on PostgreSQL :1, Kafka :9092 (not ours), Redis :3, 2 chains\n',
    );
    expect(text.match(/curl -s -X POST/g)).toHaveLength(3);
    expect(text).toContain(
      'HASH=$(npm run --silent sandbox -- transfer --data-dir /s --chain CELO --asset USDC --amount 1 --to 0xabc)\n',
    );
    expect(text).toContain(`"transaction_hash":"'$HASH'"`);
    expect(text).toContain('npm run stack -- stop');
    expect(text).toContain('npm run demo -- --stack');
  });

  it('shows no deposit where there is no chain to make one on', () => {
    expect(
      stackBanner({ ...facts, deposit: undefined, status: stack(members) }).match(/curl -s|sandbox --/g),
    ).toHaveLength(2);
  });
});
