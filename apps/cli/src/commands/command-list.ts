import type { CommandHelp } from './command-options.js';
import { MONEY_COMMANDS } from './money-commands.js';
import { PARTNER_COMMANDS } from './partner-commands.js';
import { PEOPLE_COMMANDS } from './people/people-commands.js';
import { TROUBLE_COMMANDS } from './trouble-commands.js';

export const FOLDER_COMMANDS = {
  'cipher-rotate': {
    summary: 'give every service of a stopped folder a new cipher key',
    positional: null,
    usage: ['cipher-rotate'],
    options: {},
    words: [
      'Stop Vuka first. From its next start it seals everything with the new key. It can still open what an older key sealed. Then run reseal.',
      'An older copy of secrets.json is useless afterwards: back up the new one with the folder. For services elsewhere, see docs/operators/secrets.md.',
    ],
    examples: ['cipher-rotate'],
  },
  'operators-begin': {
    summary: 'let the first two people into a stopped folder with real money',
    positional: 'two names',
    usage: ['operators-begin NAME NAME'],
    options: {},
    words: ['Once, by both together. Each gets a file of their own. They let in whoever comes later.'],
    examples: ['operators-begin "Ann Otieno" "Ben Mwangi"'],
  },
  'operator-credential': {
    summary: 'make a credential of your own, and print its hash',
    positional: 'your name',
    usage: ['operator-credential NAME --out FILE [--url URL]'],
    options: {
      out: { type: 'string', value: 'FILE', help: 'where the credential is written, readable by you alone' },
      url: { type: 'string', value: 'URL', help: 'where admin answers; the default is http://admin:3100' },
    },
    words: ['On your own machine. Nobody else sees the credential; the hash opens nothing.'],
    examples: ['operator-credential "Cyd Achieng" --out cyd.json --url http://admin:3100'],
  },
} as const satisfies Record<string, CommandHelp>;

export const COMMANDS = {
  ...TROUBLE_COMMANDS,
  ...PARTNER_COMMANDS,
  ...MONEY_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...FOLDER_COMMANDS,
} as const satisfies Record<string, CommandHelp>;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/** Of people, without asking admin. */
export type OperatorCommand =
  | { readonly name: 'operators-begin'; readonly people: readonly [string, string] }
  | { readonly name: 'operator-credential'; readonly person: string; readonly out: string; readonly url: string };
