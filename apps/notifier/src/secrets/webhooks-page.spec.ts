import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { webhookEvent } from '@vuka/contracts';

import { freshSecret } from './ensure-webhook-secret.js';
import { DELIVERY_ERRORS, RETRY_DELAYS_MS } from '../deliveries/retry-schedule.js';
import { signWebhook } from './sign-webhook.js';

const run = promisify(execFile);
const PAGES = ['webhooks', 'webhook-signatures'].map((name) =>
  fileURLToPath(new URL(`../../../../docs/partners/${name}.md`, import.meta.url)),
);

let page: string;
let folder: string;

beforeAll(async () => {
  page = (await Promise.all(PAGES.map((path) => readFile(path, 'utf8')))).join('\n');
  folder = await mkdtemp(join(tmpdir(), 'webhooks-page-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Language {
  readonly fence: string;
  readonly file: string;
  /** Appended: reads cases from a file and prints JSON. */
  readonly ending: string;
  readonly command: readonly string[];
}

const LANGUAGES: readonly Language[] = [
  {
    fence: 'js',
    file: 'verify.mjs',
    command: ['node'],
    ending: `import { readFileSync } from 'node:fs';
console.log(JSON.stringify(JSON.parse(readFileSync(process.argv[2])).map(({ secret, headers, body }) => isFromVuka(secret, headers, Buffer.from(body)))));`,
  },
  {
    fence: 'python',
    file: 'verify.py',
    command: ['python3'],
    ending: `import json, sys
print(json.dumps([is_from_vuka(c["secret"], c["headers"], c["body"].encode()) for c in json.load(open(sys.argv[1], encoding="utf-8"))]))`,
  },
  {
    fence: 'php',
    file: 'verify.php',
    command: ['php'],
    ending: `echo json_encode(array_map(fn($c) => isFromVuka($c['secret'], $c['headers'], $c['body']), json_decode(file_get_contents($argv[1]), true)));`,
  },
];

const [ours, older, theirs] = [freshSecret(), freshSecret(), freshSecret()];
const body = '{"status":"COMPLETE","transaction_code":"naïve-1","message":"Paid"}';
const at = (secrets: readonly string[], secondsAgo = 0, id = '42_1') =>
  signWebhook(secrets, id, new Date(Date.now() - secondsAgo * 1000), body);

const CASES = [
  { why: 'ours', takes: true, secret: ours, headers: at([ours]), body },
  { why: 'the new secret during a rotation', takes: true, secret: ours, headers: at([ours, older]), body },
  { why: 'the old one', takes: true, secret: older, headers: at([ours, older]), body },
  { why: 'somebody else’s', takes: false, secret: theirs, headers: at([ours, older]), body },
  { why: 'another body', takes: false, secret: ours, headers: at([ours]), body: body.replace('Paid', 'paid') },
  { why: 'another id', takes: false, secret: ours, headers: { ...at([ours]), 'webhook-id': '42_2' }, body },
  { why: 'an old one', takes: false, secret: ours, headers: at([ours], 301), body },
  { why: 'one of the future', takes: false, secret: ours, headers: at([ours], -330), body },
  { why: 'four minutes', takes: true, secret: ours, headers: at([ours], 240), body },
  { why: 'no headers', takes: false, secret: ours, headers: {}, body },
  {
    why: 'a time that is none',
    takes: false,
    secret: ours,
    headers: { ...at([ours]), 'webhook-timestamp': 'soon' },
    body,
  },
  {
    why: 'a signature cut off',
    takes: false,
    secret: ours,
    headers: { ...at([ours]), 'webhook-signature': at([ours])['webhook-signature'].slice(0, 20) },
    body,
  },
  { why: 'no signature', takes: false, secret: ours, headers: { ...at([ours]), 'webhook-signature': '' }, body },
  {
    why: 'another version',
    takes: false,
    secret: ours,
    headers: { ...at([ours]), 'webhook-signature': at([ours])['webhook-signature'].replace('v1,', 'v2,') },
    body,
  },
  {
    why: 'letters of no alphabet',
    takes: false,
    secret: ours,
    headers: { ...at([ours]), 'webhook-signature': 'v1,é v1,💶' },
    body,
  },
];

const exampleOf = (fence: string): string => new RegExp(`\`\`\`${fence}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

async function isHere(command: string): Promise<boolean> {
  return run(command, ['--version']).then(
    () => true,
    () => false,
  );
}

describe('the examples of docs/partners/webhook-signatures.md', () => {
  it.each(LANGUAGES)(
    'take what we sign and nothing else: $fence',
    async ({ fence, file, ending, command: [command = '', ...more] }) => {
      const example = exampleOf(fence);
      expect(example).toMatch(/from_?vuka/i);
      // Only Node is installed everywhere.
      if (fence !== 'js' && !(await isHere(command))) return;
      await writeFile(join(folder, file), `${fence === 'php' ? '<?php\n' : ''}${example}\n${ending}\n`);
      await writeFile(join(folder, 'cases.json'), JSON.stringify(CASES));
      const { stdout } = await run(command, [...more, join(folder, file), join(folder, 'cases.json')]);
      const answers = JSON.parse(stdout) as boolean[];
      expect(CASES.map(({ why }, place) => [why, answers[place]])).toEqual(CASES.map(({ why, takes }) => [why, takes]));
    },
    20_000,
  );
});

describe('docs/partners/webhooks.md', () => {
  it('has the schedule, the errors and the events that there are', () => {
    const unit = (ms: number): string =>
      ms < 60_000 ? `${ms / 1000} s` : ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`;
    const steps = RETRY_DELAYS_MS.map(unit);
    expect(page).toContain(`${steps.slice(0, -1).join(', ')} and ${steps.at(-1) ?? ''}`);
    for (const error of DELIVERY_ERRORS) expect(page).toContain(`\`${error}\``);
    for (const event of webhookEvent.options) {
      const [subject = '', what = ''] = event.split('.');
      expect(page).toMatch(new RegExp(`\`${subject}\\.[a-z]+\`[^|]*(?<=\`${subject}\\.|\`\\.)${what}\`|\`${event}\``));
    }
  });
});
