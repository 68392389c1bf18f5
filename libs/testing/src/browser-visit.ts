import { findChromium, type BrowserPage, type Chromium } from './chromium.js';

/** Its path, or null: then `what` is seen by no browser, which is said loudly. Throws where REQUIRE_BROWSER is 1. */
export function chromiumFor(what: string): string | null {
  const path = findChromium();
  if (path !== null) return path;
  process.stderr.write(
    `\n*** SKIPPED: there is no Chromium here (CHROMIUM, or one in the PATH), so no browser sees ${what} ***\n\n`,
  );
  if (process.env['REQUIRE_BROWSER'] === '1') throw new Error('REQUIRE_BROWSER=1, and there is no Chromium');
  return null;
}

export interface Visit {
  readonly page: BrowserPage;
  readonly requests: string[];
  /** A policy that was broken, a script that threw. */
  readonly complaints: string[];
}

export interface VisitOptions {
  readonly script?: boolean;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** A script that runs before those of the page. */
  readonly first?: string;
}

/** A page in a context of its own, and what its browser asks for and complains of. */
export async function visitPage(
  browser: Chromium,
  url: string,
  { script = true, width = 1280, height = 900, dark = false, first }: VisitOptions = {},
): Promise<Visit> {
  const page = await browser.open();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('Network.requestWillBeSent', ({ request }) => requests.push((request as { url: string }).url));
  page.on('Log.entryAdded', ({ entry }) => complaints.push((entry as { text: string }).text));
  page.on('Runtime.exceptionThrown', (thrown) => complaints.push(JSON.stringify(thrown)));
  page.on('Audits.issueAdded', ({ issue }) => complaints.push(JSON.stringify(issue)));
  for (const domain of ['Network', 'Log', 'Runtime', 'Audits']) await page.send(`${domain}.enable`, {});
  await page.setScreen({ width, height, mobile: width < 800, dark });
  await page.send('Emulation.setScriptExecutionDisabled', { value: !script });
  if (first !== undefined) await page.send('Page.addScriptToEvaluateOnNewDocument', { source: first });
  await page.goTo(url);
  return { page, requests, complaints };
}
