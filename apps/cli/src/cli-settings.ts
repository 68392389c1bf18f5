import { type EmbeddedSettings, loadSettings } from '@vuka/config';

export interface CliSettings {
  readonly settings: EmbeddedSettings;
  readonly dataDir: string;
  /** Names services that run elsewhere; null: Vuka is in the data folder. */
  readonly adminFile: string | null;
}

/** Throws SettingsError naming the variable and the rule. */
export function loadCliSettings(env: NodeJS.ProcessEnv): CliSettings {
  const settings = loadSettings(env);
  return { settings, dataDir: settings.dataDir, adminFile: settings.adminFile ?? null };
}
