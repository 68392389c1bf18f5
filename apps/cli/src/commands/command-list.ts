import type { CommandHelp } from './command-options.js';
import { MONEY_COMMANDS } from './money-commands.js';
import { PARTNER_COMMANDS } from './partner-commands.js';
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
} as const satisfies Record<string, CommandHelp>;

export const COMMANDS = {
  ...TROUBLE_COMMANDS,
  ...PARTNER_COMMANDS,
  ...MONEY_COMMANDS,
  ...FOLDER_COMMANDS,
} as const satisfies Record<string, CommandHelp>;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];
