import { type EmbeddedSettings, loadSettings } from '@vuka/config';

/** Where the desk finds Vuka. */
export interface DeskSettings {
  readonly settings: EmbeddedSettings;
  readonly dataDir: string;
  /** Names services that run elsewhere; null: Vuka is in the data folder. */
  readonly adminFile: string | null;
}

/** Throws SettingsError naming the variable and the rule. */
export function loadDeskSettings(env: NodeJS.ProcessEnv): DeskSettings {
  const settings = loadSettings(env);
  return { settings, dataDir: settings.dataDir, adminFile: settings.adminFile ?? null };
}
