import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface StackMember {
  readonly name: string;
  readonly kind: 'server' | 'provider' | 'service';
  readonly state: string;
  readonly detail: string;
  readonly pid: number | null;
  readonly ports: Readonly<Record<string, number>>;
  readonly restarts: number;
  readonly memoryBytes: number | null;
  readonly logFile: string;
}

export interface StackStatus {
  readonly ok: boolean;
  readonly gateways: readonly string[];
  readonly members: readonly StackMember[];
}

export interface RunFile {
  readonly supervisor: { readonly pid: number };
  readonly control: { readonly port: number; readonly token: string };
  readonly processes: readonly {
    readonly name: string;
    readonly kind: StackMember['kind'];
    readonly pid: number;
    readonly started: string;
  }[];
}

export type StackRequest =
  | { readonly do: 'status' }
  | { readonly do: 'start' | 'stop' | 'restart' | 'kill'; readonly name: string }
  | { readonly do: 'scale'; readonly service: string; readonly instances: number };

const ANSWER_WITHIN_MS = 120_000;

export function readRunFile(dataDir: string): RunFile | null {
  const file = join(dataDir, 'stack-run.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunFile) : null;
}

/** As the command does. Throws what the supervisor refuses. */
export async function askStack(dataDir: string, request: StackRequest): Promise<StackStatus | undefined> {
  const facts = readRunFile(dataDir);
  if (facts === null) throw new Error(`no stack was started in ${dataDir}`);
  const response = await fetch(`http://127.0.0.1:${facts.control.port}/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${facts.control.token}` },
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const { ok, message, status } = (await response.json()) as { ok: boolean; message: string; status?: StackStatus };
  if (!ok) throw new Error(`the stack refuses ${JSON.stringify(request)}: ${message}`);
  return status;
}
