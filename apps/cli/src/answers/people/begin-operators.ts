import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { samePerson } from '@vuka/domain';
import {
  adminFileText,
  beginOperators,
  hasOperators,
  lockFolder,
  openDataFolder,
  refuseOtherBuild,
} from '@vuka/data-folder';
import { APPROVER_KEY_ID, credentialHash } from '@vuka/http';
import { BootError, publicHalfOf, signingKeyOf } from '@vuka/runtime';

import type { CliSettings } from '../../cli-settings.js';
import type { OperatorCommand } from '../../commands/command-list.js';
import { refusal, type Answer } from '../answer.js';

/** Written by the person who will use it, on that person's machine: nobody else sees it. */
export async function makeCredential({
  person,
  out,
  url,
}: Extract<OperatorCommand, { name: 'operator-credential' }>): Promise<Answer> {
  const credential = randomBytes(33).toString('base64url');
  const seed = randomBytes(32);
  const signing_seed = seed.toString('base64url');
  try {
    await writeFile(out, adminFileText({ operator: person, credential, signing_seed, url }), {
      mode: 0o600,
      flag: 'wx',
    });
  } catch (error) {
    const { code = 'it cannot be written' } = error as NodeJS.ErrnoException;
    return refusal({
      code: 'invalid_request',
      message: `${out} is not written: ${code === 'EEXIST' ? 'it is there already' : code}`,
    });
  }
  const credential_sha256 = credentialHash(credential);
  const approver_key = publicHalfOf(signingKeyOf(APPROVER_KEY_ID, seed));
  return {
    code: 0,
    json: { operator: person, file: out, credential_sha256, approver_key },
    text: (paint) =>
      [
        `${paint.green('✓')} The credential of ${person} is in ${out}, and nowhere else. Name the file by VUKA_ADMIN_FILE.`,
        '  Who lets you in needs two things, which open nothing. credential_sha256, and approver_key for the services:',
        '',
        credential_sha256,
        approver_key,
      ].join('\n'),
  };
}

/** The first two, in one act, of a folder with real money. Throws BootError. */
export async function begin(
  { people: [one, other] }: Extract<OperatorCommand, { name: 'operators-begin' }>,
  { dataDir, adminFile }: CliSettings,
): Promise<Answer> {
  if (adminFile !== null || !existsSync(join(dataDir, 'secrets.json')))
    throw new BootError(
      'This command is only for a data folder of Vuka that was started once.',
      'For services elsewhere, docs/operators/operators.md says where the first two are written.',
    );
  if (samePerson(one, other)) return refusal({ code: 'invalid_request', message: 'It takes two people, not one' });
  await refuseOtherBuild(dataDir, 'VUKA_DATA_DIR');
  const folder = await openDataFolder(dataDir);
  const lock = await lockFolder(folder.path, { waitMs: 0 });
  try {
    if (hasOperators(folder))
      return refusal({
        code: 'invalid_request',
        message: 'The first two are there already. They let others in by operator-make',
      });
    const made = await beginOperators(folder, [one, other]);
    const files = made.map(({ name, file }) => ({
      operator: name,
      file: join(folder.path, 'operators', `${file}.json`),
      as: file,
    }));
    return {
      code: 0,
      json: { operators: files },
      text: (paint) =>
        [
          `${paint.green('✓')} Two people may use the commands, and agree with each other. Give each their file, and keep no copy:`,
          ...files.map(({ operator, file, as }) => `  ${operator}: ${file} (--as ${as})`),
        ].join('\n'),
    };
  } finally {
    await lock.release();
  }
}
