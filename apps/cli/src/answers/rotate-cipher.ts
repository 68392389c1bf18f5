import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { addCipherKey, lockFolder, openDataFolder, refuseOtherBuild } from '@vuka/data-folder';
import { BootError } from '@vuka/runtime';

import { CALL } from '../commands/help.js';
import type { CliSettings } from '../cli-settings.js';
import { stepLines } from '../pages/trouble-lines.js';
import type { Answer } from './answer.js';

/** A new cipher key for the services of a stopped folder. Throws BootError if it is in use or does not exist. */
export async function rotateCipher({ dataDir, adminFile }: CliSettings): Promise<Answer> {
  if (adminFile !== null)
    throw new BootError(
      'This command is only for a data folder: services on other machines have their keys in their own secrets files.',
      'docs/operators/secrets.md says how to add a new key there.',
    );
  if (!existsSync(join(dataDir, 'secrets.json')))
    throw new BootError(`There is no data folder of Vuka at ${dataDir}.`, 'Set VUKA_DATA_DIR to the data folder.');
  await refuseOtherBuild(dataDir, 'VUKA_DATA_DIR');
  const folder = await openDataFolder(dataDir);
  const lock = await lockFolder(folder.path, { waitMs: 0 });
  try {
    const key = await addCipherKey(folder);
    const next = [`${CALL} reseal --reason "…" --by "…"`];
    return {
      code: 0,
      json: { key_id: key, next },
      text: (paint) =>
        [
          `${paint.green('✓')} Every service of ${folder.path} seals with ${paint.bold(key)} from its next start. Start Vuka, then run:`,
          ...stepLines(next, paint).map((line) => `  ${line}`),
        ].join('\n'),
    };
  } finally {
    await lock.release();
  }
}
