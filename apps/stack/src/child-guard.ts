/**
 * Loaded with `node --import` into each process of the stack. If the supervisor goes, the IPC channel breaks: then
 * this process stops, if needed by force, because nobody would look after it.
 * At a stack's start programs load early, because loading takes longest: they load the modules of VUKA_STACK_WARM (a
 * JSON list) and wait for their settings.
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
  // A module that cannot be loaded fails, with a message, where it is needed.
  await Promise.allSettled((JSON.parse(warm) as string[]).map((module) => import(module)));
  Object.assign(process.env, await word);
}
// The channel alone must not keep the process alive.
process.channel?.unref();

export {};
