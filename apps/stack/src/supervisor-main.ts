import { loadStackSettings } from './parts/stack-settings.js';
import { superviseHere } from './supervise.js';

// `npm run stack` started this (background.ts), with its own settings.

/** Its lines go to the log, and to its starter while that listens. */
const tell = (line: string): void => {
  process.stdout.write(`${line}\n`);
  if (process.connected) process.send?.({ line }, () => undefined);
};

/** The banner holds keys: it is for the person who started this, and for no log. */
const onReady = (banner: string): void => {
  process.stdout.write('The stack is ready.\n');
  if (process.connected) process.send?.({ line: banner, ready: true }, () => process.disconnect?.());
};

superviseHere(loadStackSettings(process.env), tell, onReady);
process.channel?.unref();
