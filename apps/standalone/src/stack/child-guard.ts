/**
 * Loaded before a process of the stack (`node --import`). The channel to the supervisor breaks when that is gone, however it
 * went: then this process stops as if asked to, and by force where it does not. Nobody would look after it any more.
 */
const STOP_WITHIN_MS = 10_000;

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_WITHIN_MS).unref();
});
// The channel alone keeps no process alive.
process.channel?.unref();

export {};
