import { parseArgs, type ParseArgsConfig } from 'node:util';

import { CHAINS, DEFAULT_CHAIN, type Chain } from '@vuka/domain';

export type SandboxPlace =
  { readonly kind: 'folder'; readonly path: string } | { readonly kind: 'stack' } | { readonly kind: 'any' };

export type SandboxAction =
  | {
      readonly name: 'transfer';
      readonly asset: string;
      readonly amount: string;
      readonly to: string;
      readonly from: string | null;
      readonly memo: string | null;
      readonly mine: boolean;
    }
  | { readonly name: 'mine'; readonly blocks: number }
  | { readonly name: 'reorg'; readonly depth: number }
  | { readonly name: 'stall'; readonly on: boolean };

export type ParsedSandboxCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string }
  | { readonly kind: 'command'; readonly chain: Chain; readonly place: SandboxPlace; readonly action: SandboxAction };

type Options = NonNullable<ParseArgsConfig['options']>;
type Given = Readonly<Record<string, string | boolean | undefined>>;

class WrongUsage extends Error {}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const EVERYWHERE: Options = { chain: TEXT, 'data-dir': TEXT, stack: FLAG };
const OPTIONS: Readonly<Record<SandboxAction['name'], Options>> = {
  transfer: { asset: TEXT, amount: TEXT, to: TEXT, from: TEXT, memo: TEXT, 'no-mine': FLAG },
  mine: { blocks: TEXT },
  reorg: { depth: TEXT },
  stall: { off: FLAG },
};
export const MOST_BLOCKS = 10_000;

/** Never throws: errors are returned as a sentence. */
export function parseSandboxCommand(argv: readonly string[]): ParsedSandboxCommand {
  if (argv.length === 0 || argv.some((word) => word === '--help' || word === '-h' || word === 'help'))
    return { kind: 'help' };
  const [name = '', ...words] = argv;
  if (!isAction(name))
    return { kind: 'wrong', problem: `There is no command ${name}: the commands are transfer, mine, reorg and stall.` };
  try {
    const given = optionsIn(name, words);
    return { kind: 'command', chain: chainIn(given), place: placeIn(given), action: actionOf(name, given) };
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    return { kind: 'wrong', problem: error.message };
  }
}

function isAction(name: string): name is SandboxAction['name'] {
  return Object.hasOwn(OPTIONS, name);
}

function optionsIn(name: SandboxAction['name'], words: readonly string[]): Given {
  const options = { ...EVERYWHERE, ...OPTIONS[name] };
  try {
    return parseArgs({ args: [...words], options, allowPositionals: false, strict: true }).values as Given;
  } catch (error) {
    const { message } = error as Error;
    const [, option] = /'(-{1,2}[^'\s=]+)/.exec(message) ?? [];
    if (option === undefined) throw new WrongUsage(`${name} takes only options: ${message.split('. ')[0] ?? ''}.`);
    throw new WrongUsage(
      Object.hasOwn(options, option.replace(/^-+/, ''))
        ? `${option} needs a value.`
        : `${name} has no option ${option}.`,
    );
  }
}

function actionOf(name: SandboxAction['name'], given: Given): SandboxAction {
  switch (name) {
    case 'transfer':
      return {
        name,
        asset: textIn(given, 'asset'),
        amount: textIn(given, 'amount'),
        to: textIn(given, 'to'),
        from: optionalIn(given, 'from'),
        memo: optionalIn(given, 'memo'),
        mine: given['no-mine'] !== true,
      };
    case 'mine':
      return { name, blocks: optionalIn(given, 'blocks') === null ? 1 : countIn(given, 'blocks') };
    case 'reorg':
      return { name, depth: countIn(given, 'depth') };
    case 'stall':
      return { name, on: given['off'] !== true };
  }
}

function chainIn(given: Given): Chain {
  const text = optionalIn(given, 'chain') ?? DEFAULT_CHAIN;
  const wanted = text.toUpperCase();
  const found = CHAINS.find(({ name, aliases }) => name === wanted || aliases.includes(wanted));
  if (found === undefined)
    throw new WrongUsage(
      `${text} is not a chain of the sandbox. The chains are ${CHAINS.map(({ name }) => name).join(', ')}.`,
    );
  return found;
}

function placeIn(given: Given): SandboxPlace {
  const path = optionalIn(given, 'data-dir');
  if (path !== null && given['stack'] === true) throw new WrongUsage('Give either --data-dir or --stack, not both.');
  if (path !== null) return { kind: 'folder', path };
  return { kind: given['stack'] === true ? 'stack' : 'any' };
}

function textIn(given: Given, option: string): string {
  const text = optionalIn(given, option);
  if (text === null) throw new WrongUsage(`--${option} is missing.`);
  return text;
}

function optionalIn(given: Given, option: string): string | null {
  const text = given[option];
  return typeof text === 'string' && text !== '' ? text : null;
}

function countIn(given: Given, option: string): number {
  const text = textIn(given, option);
  const count = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_BLOCKS)
    throw new WrongUsage(`--${option} must be a whole number from 1 to ${MOST_BLOCKS}.`);
  return count;
}
