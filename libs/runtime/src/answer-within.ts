/** `late` after `ms`; the work continues, ignored. `holdsProcess` false: does not keep the process alive. */
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
