import { type Paint, plainPaint } from '@vuka/terminal';

import { COMMAND_NAMES, type CommandName, COMMANDS, FOLDER_COMMANDS } from './command-list.js';
import type { CommandHelp } from './command-options.js';
import { MONEY_COMMANDS } from './money-commands.js';
import { PARTNER_COMMANDS } from './partner-commands.js';
import { PEOPLE_COMMANDS } from './people/people-commands.js';

export const CALL = 'npm run vuka --';
const WIDTH = 100;

const WHAT_IS_WRONG: readonly CommandName[] = [
  'stuck',
  'show',
  'ledger',
  'unapplied',
  'orders',
  'refunds',
  'unclaimed',
  'switches',
  'corridors',
  'callbacks',
  'dead-letters',
];
const PUT_IT_RIGHT: readonly CommandName[] = [
  'release',
  'settle',
  'clear',
  'approve',
  'withdraw',
  'resolve',
  'callbacks-resolve',
  'replay',
  'refunds-export',
  'refunds-import',
  'refund-cancel',
  'refund-clear',
  'refund-settle',
  'return-address',
  'switch-off',
  'switch-on',
  'corridor-off',
  'corridor-on',
];

export function helpText(about: CommandName | null, paint: Paint = plainPaint): string {
  return about === null ? helpOfAll(paint) : helpOf(COMMANDS[about], paint);
}

function helpOfAll(paint: Paint): string {
  const width = Math.max(...COMMAND_NAMES.map((name) => name.length));
  return [
    `${paint.bold('vuka')}: the commands of operators. They work on the data folder (VUKA_DATA_DIR) of a Vuka that runs, was`,
    'killed or is stopped. For services on other machines, VUKA_ADMIN_FILE names the file with their addresses.',
    '',
    paint.bold('What is wrong?'),
    ...list(WHAT_IS_WRONG, width, paint),
    '',
    paint.bold('Put it right'),
    ...list(PUT_IT_RIGHT, width, paint),
    '',
    paint.bold('Partners, keys and webhooks'),
    ...list(Object.keys(PARTNER_COMMANDS) as CommandName[], width, paint),
    '',
    paint.bold('Money, the audit record, and the keys of Vuka'),
    ...list(
      [
        ...Object.keys(MONEY_COMMANDS),
        ...Object.keys(PEOPLE_COMMANDS),
        ...Object.keys(FOLDER_COMMANDS),
      ] as CommandName[],
      width,
      paint,
    ),
    '',
    `${paint.bold('Begin with')}  ${CALL} stuck`,
    `${paint.bold('More')}        ${CALL} <command> --help, and docs/operators/runbook.md, which explains each alarm`,
    '',
    `With --json, each command prints one JSON object. With npm run -s vuka -- … npm adds no lines of its own.`,
    'Exit codes: 0 done, 1 a problem or a broken rule, 2 wrong usage. "Reads only" in a help text: nothing changes.',
  ].join('\n');
}

function list(names: readonly CommandName[], width: number, paint: Paint): string[] {
  return names.map((name) => `  ${paint.cyan(name.padEnd(width))}  ${COMMANDS[name].summary}`);
}

function helpOf(command: CommandHelp, paint: Paint): string {
  const options: CommandHelp['options'] = {
    ...command.options,
    json: { type: 'boolean', value: '', help: 'one JSON object instead of text' },
  };
  const left = Object.entries(options).map(([name, { value }]) => `--${name}${value === '' ? '' : ` ${value}`}`);
  const width = Math.max(...left.map((text) => text.length));
  return [
    ...command.usage.map((usage) => `${CALL} ${paint.bold(usage)}`),
    '',
    `${capital(command.summary)}.`,
    ...command.words.flatMap(wrapped),
    '',
    ...Object.values(options).map(({ help }, index) => `  ${paint.cyan((left[index] ?? '').padEnd(width))}  ${help}`),
    '',
    paint.bold(command.examples.length > 1 ? 'Examples' : 'Example'),
    ...command.examples.map((example) => `  ${CALL} ${example}`),
  ].join('\n');
}

function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
