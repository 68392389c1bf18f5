import { dirname } from 'node:path';

import { type EmbeddedSettings, loadSettings } from '@vuka/config';
import { readOperatorFile } from '@vuka/data-folder';

export interface CliSettings {
  readonly settings: EmbeddedSettings;
  readonly dataDir: string;
  /** Names services that run elsewhere; null: Vuka is in the data folder. */
  readonly adminFile: string | null;
  /** Who asks, by `--as`; null: whoever the admin file is of. */
  readonly person: Awaited<ReturnType<typeof readOperatorFile>> | null;
  /** The sealed file, where admin is down. */
  readonly sealedFile: string | null;
}

/** `as`: a file of `operators`, beside the admin file or in the data folder. Throws SettingsError. */
export async function loadCliSettings(
  env: NodeJS.ProcessEnv,
  { as = null, sealedFile = null }: { readonly as?: string | null; readonly sealedFile?: string | null } = {},
): Promise<CliSettings> {
  const settings = loadSettings(env);
  const { dataDir, adminFile = null } = settings;
  const beside = adminFile === null ? dataDir : dirname(adminFile);
  return { settings, dataDir, adminFile, person: as === null ? null : await readOperatorFile(beside, as), sealedFile };
}

/** Takes `--as <file>` out, wherever it stands; or another option with a value. */
export function takeAs(
  argv: readonly string[],
  option = '--as',
): { readonly as: string | null; readonly words: readonly string[] } {
  const place = argv.indexOf(option);
  if (place === -1) return { as: null, words: argv };
  return { as: argv[place + 1] ?? '', words: [...argv.slice(0, place), ...argv.slice(place + 2)] };
}
