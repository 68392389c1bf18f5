/** As pawaPay writes times: whole seconds, UTC [D]. */
export function secondsText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
