import { ROLES, type Role } from '@vuka/contracts';

import { actIn, hasControls, textIn, WrongUsage, type Words } from '../command-words.js';
import type { PEOPLE_COMMANDS } from './people-commands.js';

interface Act {
  readonly by: string;
  readonly reason: string;
}

export type PeopleCommand =
  | { readonly name: 'approvals'; readonly open: boolean }
  | ({ readonly name: 'decline'; readonly approval: string } & Act)
  | { readonly name: 'operators' }
  | ({
      readonly name: 'operator-make';
      readonly person: string;
      readonly role: Role;
      readonly credentialSha256: string;
    } & Act)
  | ({ readonly name: 'operator-role'; readonly person: string; readonly role: Role } & Act)
  | ({ readonly name: 'operator-recover'; readonly person: string; readonly credentialSha256: string } & Act)
  | ({ readonly name: 'operator-remove'; readonly person: string } & Act);

export function readPeopleCommand(name: keyof typeof PEOPLE_COMMANDS, words: Words): PeopleCommand {
  switch (name) {
    case 'approvals':
      return { name, open: words.options['all'] !== true };
    case 'decline':
      return { name, approval: approvalIn(words), ...actIn(words) };
    case 'operators':
      return { name };
    case 'operator-make':
      return { name, person: personIn(words), role: roleIn(words), credentialSha256: hashIn(words), ...actIn(words) };
    case 'operator-role':
      return { name, person: personIn(words), role: roleIn(words), ...actIn(words) };
    case 'operator-recover':
      return { name, person: personIn(words), credentialSha256: hashIn(words), ...actIn(words) };
    case 'operator-remove':
      return { name, person: personIn(words), ...actIn(words) };
  }
}

/** `a12`: apart from the plain numbers of settlements. */
export function isApproval(word: string | undefined): word is string {
  return /^a[1-9]\d{0,14}$/.test(word ?? '');
}

function approvalIn({ positionals: [word] }: Words): string {
  if (!isApproval(word)) throw new WrongUsage(`The number of an approval is as in a12, not "${word ?? ''}".`);
  return word;
}

export function personIn({ positionals: [word = ''] }: Pick<Words, 'positionals'>): string {
  const name = word.trim().replace(/\s+/g, ' ');
  if (name === '' || name.length > 80 || hasControls(name))
    throw new WrongUsage('The name must have 1 to 80 characters, without control characters.');
  return name;
}

function roleIn(words: Words): Role {
  const text = textIn(words, 'role');
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new WrongUsage(`--role must be one of ${ROLES.join(', ')}.`);
  return role;
}

function hashIn(words: Words): string {
  const text = textIn(words, 'credential-sha256') ?? '';
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new WrongUsage('--credential-sha256 must be the 64 digits that operator-credential printed.');
  return text;
}
