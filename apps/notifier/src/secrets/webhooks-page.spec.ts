import { execFile, spawnSync } from 'node:child_process';
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
  /** Around the example: what makes a program of it that reads cases from a file, and prints the answers as JSON. */
  readonly whole: (example: string) => Readonly<Record<string, string>>;
  /** Says that the language is here. */
  readonly asked: readonly string[];
  /** One after the other; the last one is told the file of cases, and answers. */
  readonly commands: readonly (readonly string[])[];
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const COMPILER = [
  ...[
    'node',
    join(ROOT, 'node_modules/typescript-7/bin/tsc'),
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
  ],
  ...['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types'), 'verify.mts'],
];

const LANGUAGES: readonly Language[] = [
  {
    fence: 'ts',
    asked: ['node', '--version'],
    commands: [COMPILER, ['node', 'verify.mjs']],
    whole: (example) => ({
      'verify.mts': `${example}
import { readFileSync } from 'node:fs';
interface Case { secret: string; headers: Record<string, string>; body: string }
const cases = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Case[];
console.log(JSON.stringify(cases.map(({ secret, headers, body }) => isFromVuka(secret, headers, Buffer.from(body)))));`,
    }),
  },
  {
    fence: 'python',
    asked: ['python3', '--version'],
    commands: [['python3', 'verify.py']],
    whole: (example) => ({
      'verify.py': `${example}
import json, sys
print(json.dumps([is_from_vuka(c["secret"], c["headers"], c["body"].encode()) for c in json.load(open(sys.argv[1], encoding="utf-8"))]))`,
    }),
  },
  {
    fence: 'go',
    asked: ['go', 'version'],
    commands: [['go', 'build', '-o', 'verify', 'verify.go', 'main.go'], ['./verify']],
    whole: (example) => ({
      'verify.go': example.replace('package webhooks', 'package main'),
      'main.go': GO_MAIN,
    }),
  },
  {
    fence: 'php',
    asked: ['php', '--version'],
    commands: [['php', 'verify.php']],
    whole: (example) => ({
      'verify.php': `<?php
${example}
echo json_encode(array_map(fn($c) => isFromVuka($c['secret'], $c['headers'], $c['body']), json_decode(file_get_contents($argv[1]), true)));`,
    }),
  },
];

const GO_MAIN = `package main

import (
	"encoding/json"
	"os"
)

func main() {
	var cases []struct {
		Secret, Body string
		Headers      map[string]string
	}
	text, _ := os.ReadFile(os.Args[1])
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	answers := []bool{}
	for _, one := range cases {
		header := func(name string) string { return one.Headers[name] }
		answers = append(answers, IsFromVuka(one.Secret, header, []byte(one.Body)))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
`;

const [ours, older, theirs] = [freshSecret(), freshSecret(), freshSecret()];
const body = '{"status":"COMPLETE","transaction_code":"naïve-1","message":"Paid"}';
const at = (secrets: readonly string[], secondsAgo = 0, id = '42_1') =>
  signWebhook(secrets, id, new Date(Date.now() - secondsAgo * 1000), body);

/** Signed now: a compiler may take longer than the times between them. */
const signedCases = () => [
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

/** A compiler builds its own library first where it never has. */
const COMPILE_MS = 300_000;

const isHere = ({ asked: [command = '', ...more] }: Language): boolean => spawnSync(command, more).status === 0;

/** What a language's example says of each case, and what it should say. */
async function judge({ fence, whole, commands }: Language): Promise<{ said: unknown[]; due: unknown[] }> {
  const own = await mkdtemp(join(folder, `${fence}-`));
  for (const [file, text] of Object.entries(whole(exampleOf(fence)))) await writeFile(join(own, file), `${text}\n`);
  // Nothing is fetched: the examples need what comes with their languages.
  const env = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '' };
  const call = ([command = '', ...more]: readonly string[]) => run(command, [...more], { cwd: own, env });
  for (const command of commands.slice(0, -1)) await call(command);
  const cases = signedCases();
  await writeFile(join(own, 'cases.json'), JSON.stringify(cases));
  const { stdout } = await call([...(commands.at(-1) ?? []), 'cases.json']);
  const answers = JSON.parse(stdout) as boolean[];
  return {
    said: cases.map(({ why }, place) => [why, answers[place]]),
    due: cases.map(({ why, takes }) => [why, takes]),
  };
}

const here = LANGUAGES.filter(isHere);
const missing = LANGUAGES.filter((language) => !here.includes(language));

describe('the examples of docs/partners/webhook-signatures.md', () => {
  it.each(LANGUAGES)('are there: $fence', ({ fence }) => {
    expect(exampleOf(fence)).toMatch(/from_?vuka/i);
  });

  it.each(here)(
    'take what we sign and nothing else: $fence',
    async (language) => {
      const { said, due } = await judge(language);
      expect(said).toEqual(due);
    },
    COMPILE_MS,
  );

  if (missing.length > 0) it.skip.each(missing)('are not run, as the language is not here: $fence', () => undefined);
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
