/**
 * Loaded before a process of the stack (`node --import`). The channel to the supervisor breaks when that is gone, however it
 * went: then this process stops as if asked to, and by force where it does not. Nobody would look after it any more.
 *
 * At the start of a whole stack, loading the programs takes longest. So they are started before there is anything to start
 * on: they load what they will need (VUKA_STACK_WARM, a JSON list of modules) and wait for the word, which brings their settings.
 */
const STOP_WITHIN_MS = 10_000;
const WARM = 'VUKA_STACK_WARM';

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_WITHIN_MS).unref();
});

const warm = process.env[WARM];
if (warm !== undefined) {
  delete process.env[WARM];
  const word = new Promise<Readonly<Record<string, string>>>((resolve) =>
    process.once('message', (env) => resolve(env as Readonly<Record<string, string>>)),
  );
  // What cannot be loaded fails where it is needed, and says so there.
  await Promise.allSettled((JSON.parse(warm) as string[]).map((module) => import(module)));
  Object.assign(process.env, await word);
}
// The channel alone keeps no process alive.
process.channel?.unref();

export {};
