import { type CommandName, FOLDER_COMMANDS } from './command-list.js';
import { WrongUsage, type Words } from './command-words.js';
import { MONEY_COMMANDS } from './money-commands.js';
import { readMoneyCommand, type MoneyCommand } from './money-words.js';
import { PARTNER_COMMANDS } from './partner-commands.js';
import { readPartnerCommand, type PartnerCommand } from './partner-words.js';
import { readTyped, refuseOptionsAsValues } from './program.js';
import { readTroubleCommand, type TroubleCommand } from './trouble-words.js';

export type CliCommand = TroubleCommand | PartnerCommand | MoneyCommand | FolderCommand;

export interface FolderCommand {
  readonly name: keyof typeof FOLDER_COMMANDS;
}

export type ParsedArguments =
  | { readonly kind: 'command'; readonly command: CliCommand; readonly json: boolean }
  | { readonly kind: 'help'; readonly about: CommandName | null }
  /** `about`: the intended command, if known. */
  | {
      readonly kind: 'wrong_usage';
      readonly problem: string;
      readonly about: CommandName | null;
      readonly json: boolean;
    };

/** `operator` stands in for a missing --by. Never throws: unreadable words give wrong usage. */
export function parseCommand(argv: readonly string[], operator: string | null = null): ParsedArguments {
  const json = argv.includes('--json');
  const typed = readTyped(argv);
  if (typed.kind === 'help') return typed;
  if (typed.kind === 'wrong_usage') return { ...typed, json };
  const { name, words } = typed;
  try {
    refuseOptionsAsValues(words);
    return { kind: 'command', command: readCommand(name, { ...words, operator }), json };
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    return { kind: 'wrong_usage', problem: error.message, about: name, json };
  }
}

function readCommand(name: CommandName, words: Words): CliCommand {
  if (isOf(PARTNER_COMMANDS, name)) return readPartnerCommand(name, words);
  if (isOf(MONEY_COMMANDS, name)) return readMoneyCommand(name, words);
  return isOf(FOLDER_COMMANDS, name) ? { name } : readTroubleCommand(name, words);
}

function isOf<C extends object>(commands: C, name: CommandName): name is CommandName & keyof C {
  return Object.hasOwn(commands, name);
}
