import { loadStackSettings } from './parts/stack-settings.js';
import { superviseHere } from './supervise.js';

const tell = (line: string): void => {
  process.stdout.write(`${line}\n`);
  if (process.connected) process.send?.({ line }, () => undefined);
};

/** The banner holds sandbox keys: it goes to the starter, never to a log. */
const onReady = (banner: string): void => {
  process.stdout.write('The stack is ready.\n');
  if (process.connected) process.send?.({ line: banner, ready: true }, () => process.disconnect?.());
};

superviseHere(loadStackSettings(process.env), tell, onReady);
process.channel?.unref();
