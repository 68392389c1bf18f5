import { loadStackSettings } from './stack-settings.js';
import { superviseHere } from './supervise.js';

/** Its lines go to the log, and while its starter listens, there as well. */
const tell = (line: string): void => {
  process.stdout.write(`${line}\n`);
  if (process.connected) process.send?.({ line }, () => undefined);
};
const onReady = (): void => {
  if (process.connected) process.send?.({ ready: true }, () => process.disconnect?.());
};

// `npm run stack` started this (background.ts) with its own settings.
superviseHere(loadStackSettings(process.env), tell, onReady);
process.channel?.unref();
