/**
 * What `work` comes to, or `late` after `ms`. The work itself goes on to its own bounds, and nobody hears of it any more. Where `holdsProcess` is false the wait
 * keeps no process alive that has nothing else to do.
 */
export async function answerWithin<T, L>(
  ms: number,
  work: Promise<T>,
  late: L,
  { holdsProcess = true } = {},
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
    if (!holdsProcess) timer.unref();
  });
  try {
    return await Promise.race([work, waited]);
  } finally {
    clearTimeout(timer);
  }
}
