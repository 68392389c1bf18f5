/** One notification is kept if nobody waits, so none is lost between polling and sleeping. */
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

  /** Ends on notification, after `ms`, or on `abort`. */
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
