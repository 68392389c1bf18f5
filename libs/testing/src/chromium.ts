import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { WebSocket } from 'undici';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const START_MS = 30_000;
const ANSWER_MS = 30_000;
const END_MS = 10_000;

export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  const given = env['CHROMIUM'] ?? '';
  const paths =
    given === ''
      ? (env['PATH'] ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)))
      : [given];
  return paths.find(canRun) ?? null;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

type Told = Readonly<Record<string, unknown>>;
type Listener = (told: Told) => void;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Told;
  readonly result?: Told;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

/** Headless, with its own profile, driven over the Chrome DevTools Protocol. */
export class Chromium {
  private readonly waiting = new Map<
    number,
    { readonly answered: (result: Told) => void; readonly failed: (error: Error) => void }
  >();
  private readonly pages = new Map<string, BrowserPage>();
  private lastId = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly socket: WebSocket,
  ) {
    socket.addEventListener('message', ({ data }) => this.take(JSON.parse(String(data)) as Message));
    socket.addEventListener('close', () => {
      for (const { failed } of this.waiting.values()) failed(new Error('Chromium is gone'));
    });
  }

  static async start(path: string): Promise<Chromium> {
    const folder = await mkdtemp(join(tmpdir(), 'vuka-chromium-'));
    // Chromium's sandbox does not work as a container's root. It opens only pages of this machine.
    const child = spawn(
      path,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--hide-scrollbars',
        '--force-color-profile=srgb',
        '--font-render-hinting=none',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-default-apps',
        '--disable-sync',
        '--disable-extensions',
        '--remote-debugging-port=0',
        `--user-data-dir=${folder}`,
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    try {
      const socket = await connected(await listensAt(child));
      return new Chromium(child, folder, socket);
    } catch (error) {
      await end(child, folder);
      throw error;
    }
  }

  /** In its own context: cookies, cache and permissions are not shared. */
  async open(): Promise<BrowserPage> {
    const { browserContextId } = await this.send('Target.createBrowserContext', {});
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new BrowserPage((method, params) => this.send(method, params, String(sessionId)), {
      targetId: String(targetId),
      browserContextId: String(browserContextId),
    });
    this.pages.set(String(sessionId), page);
    return page;
  }

  send(method: string, params: Told, sessionId?: string): Promise<Told> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.waiting.get(id)?.failed(new Error(`Chromium did not answer ${method} in time`)),
        ANSWER_MS,
      );
      const settled = (): void => {
        clearTimeout(timer);
        this.waiting.delete(id);
      };
      this.waiting.set(id, {
        answered: (result) => {
          settled();
          resolve(result);
        },
        failed: (error) => {
          settled();
          reject(error);
        },
      });
      this.socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    });
  }

  async stop(): Promise<void> {
    this.socket.close();
    await end(this.child, this.folder);
  }

  private take({ id, method, params = {}, result = {}, error, sessionId = '' }: Message): void {
    if (id === undefined) {
      if (method !== undefined) this.pages.get(sessionId)?.tell(method, params);
      return;
    }
    const waits = this.waiting.get(id);
    if (error === undefined) waits?.answered(result);
    else waits?.failed(new Error(`Chromium: ${error.message}`));
  }
}

export class BrowserPage {
  private readonly listeners: { readonly method: string; readonly listener: Listener }[] = [];

  constructor(
    readonly send: (method: string, params: Told) => Promise<Told>,
    readonly ids: { readonly targetId: string; readonly browserContextId: string },
  ) {}

  on(method: string, listener: Listener): void {
    this.listeners.push({ method, listener });
  }

  tell(method: string, params: Told): void {
    for (const one of this.listeners) if (one.method === method) one.listener(params);
  }

  async goTo(url: string): Promise<void> {
    await this.send('Page.enable', {});
    const loaded = new Promise<void>((resolve) => this.on('Page.loadEventFired', () => resolve()));
    const { errorText } = await this.send('Page.navigate', { url });
    if (errorText !== undefined) throw new Error(`${url}: ${JSON.stringify(errorText)}`);
    await loaded;
  }

  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
      userGesture: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(`in the page: ${JSON.stringify(exceptionDetails).slice(0, 500)}`);
    return (result as { value: T }).value;
  }

  async setScreen({
    width,
    height,
    mobile = false,
    dark = false,
    scale = 1,
  }: {
    readonly width: number;
    readonly height: number;
    readonly mobile?: boolean;
    readonly dark?: boolean;
    readonly scale?: number;
  }): Promise<void> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile });
    await this.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }],
    });
  }

  async screenshot({ whole = false } = {}): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', {
      format: 'png',
      captureBeyondViewport: whole,
      ...(whole && { clip: { ...(await this.wholePage()), x: 0, y: 0, scale: 1 } }),
    });
    return Buffer.from(String(data), 'base64');
  }

  private async wholePage(): Promise<{ readonly width: number; readonly height: number }> {
    const { cssContentSize } = await this.send('Page.getLayoutMetrics', {});
    const { width, height } = cssContentSize as { width: number; height: number };
    return { width, height };
  }
}

function listensAt(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`Chromium did not start in time: ${said.slice(-500)}`)), START_MS);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`Chromium ended with ${String(code)}: ${said.slice(-500)}`)));
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + String(chunk)).slice(-10_000);
      const [, url] = /DevTools listening on (ws:\S+)/.exec(said) ?? [];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

function connected(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket));
    socket.addEventListener('error', () => reject(new Error('Chromium’s debugger cannot be reached')));
  });
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await gone;
    clearTimeout(timer);
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
