/**
 * Tells a waiting loop of the same process that there is work. A notification that finds nobody waiting is
 * kept (once) for the next wait, so none is lost between looking for work and going to sleep.
 */
export class WakeSignal {
  private pending = false;
  private readonly waiters = new Set<() => void>();

  notify(): void {
    if (this.waiters.size === 0) {
      this.pending = true;
      return;
    }
    for (const wake of [...this.waiters]) wake();
  }

  /** Resolves on the next notification, after `ms`, or when `abort` fires, whichever comes first. */
  wait(ms: number, abort?: AbortSignal): Promise<void> {
    if (this.pending || abort?.aborted === true) {
      this.pending = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        abort?.removeEventListener('abort', wake);
        this.waiters.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      abort?.addEventListener('abort', wake, { once: true });
      this.waiters.add(wake);
    });
  }
}
