/** Those who ask while a read is under way get its answer: all gauges of one scrape make one query. */
export function oneReadAtATime<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () =>
    (reading ??= read().finally(() => {
      reading = undefined;
    }));
}
