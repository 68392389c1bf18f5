import type { CommandHelp } from './command-options.js';
import { FOLDER_COMMANDS } from './folder-commands.js';
import { MONEY_COMMANDS } from './money-commands.js';
import { PARTNER_COMMANDS } from './partner-commands.js';
import { TROUBLE_COMMANDS } from './trouble-commands.js';

/** Every command of the desk: what it takes, and what a tired person is told about it. */
export const COMMANDS = {
  ...TROUBLE_COMMANDS,
  ...PARTNER_COMMANDS,
  ...MONEY_COMMANDS,
  ...FOLDER_COMMANDS,
} as const satisfies Record<string, CommandHelp>;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];
