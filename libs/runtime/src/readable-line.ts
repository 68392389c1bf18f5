/** For a terminal; an error's stack below. */
export function readableLine(json: string): string {
  const { level, time, service, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const rest = Object.entries(fields).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = (err as { stack?: string } | undefined)?.stack;
  const head = `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${String(service).padEnd(10)}`;
  return `${head} ${typeof msg === 'string' ? msg : ''}${rest.join('')}\n${stack === undefined ? '' : `  ${stack}\n`}`;
}
