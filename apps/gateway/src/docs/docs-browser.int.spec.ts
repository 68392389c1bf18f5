import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  Chromium,
  chromiumFor,
  drawn,
  LOW_CONTRAST,
  until,
  visitPage,
  type BrowserPage,
  type Visit,
  type VisitOptions,
} from '@vuka/testing';

import { startTestGateway, type TestGateway } from '../testing/gateway.spec-support.js';

const PATH = chromiumFor('/docs');
const inBrowser = PATH === null ? describe.skip : describe;
// A browser starts slowly on a machine that has other things to do.
jest.setTimeout(90_000);
const WAIT = { withinMs: 30_000, everyMs: 50 };
/** Each kind of page there is. A commit's run visits some at each size and in each colour. */
const PAGES = ['/docs', '/docs/guides/webhook-signatures', '/docs/guides/states', '/docs/operations/payouts'];

inBrowser('/docs in Chromium', () => {
  let gateway: TestGateway;
  let browser: Chromium;
  const base = (): string => `http://localhost:${String(gateway.port)}`;

  beforeAll(async () => {
    gateway = await startTestGateway();
    browser = await Chromium.start(PATH ?? '');
  });

  afterAll(async () => {
    await browser?.stop();
    await gateway?.stop();
  });

  const visit = (path: string, options: VisitOptions = {}): Promise<Visit> =>
    visitPage(browser, base() + path, options);

  async function press(page: BrowserPage, key: string, code: number, text?: string): Promise<void> {
    const what = { key, code: key, windowsVirtualKeyCode: code, ...(text !== undefined && { text }) };
    await page.send('Input.dispatchKeyEvent', { type: 'keyDown', ...what });
    await page.send('Input.dispatchKeyEvent', { type: 'keyUp', ...what });
  }

  const texts = (page: BrowserPage, selector: string): Promise<string[]> =>
    page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent)`);

  it.each(drawn('pages that load', [...PAGES, '/docs/try'], 2))(
    '%s loads only from our own address, and keeps its policy',
    async (path) => {
      const { page, requests, complaints } = await visit(path);
      if (path === '/docs/try')
        await until(async () => (await texts(page, '.opblock')).length > 50, { ...WAIT, what: 'the operations' });
      expect(requests.filter((url) => !/^(http:\/\/localhost:\d+\/(docs|openapi\.json)|data:image)/.test(url))).toEqual(
        [],
      );
      expect(complaints).toEqual([]);
      expect(await page.evaluate('document.cookie + localStorage.length + sessionStorage.length')).toBe('00');
    },
  );

  it('searches by the keyboard alone: guides and operations, and goes where it is told', async () => {
    const { page, complaints } = await visit('/docs');
    await page.send('Page.bringToFront', {});
    await press(page, '/', 191, '/');
    expect(await page.evaluate('document.activeElement.id')).toBe('q');
    await page.send('Input.insertText', { text: 'bank transfer' });
    await until(async () => (await texts(page, '#found a')).length > 5, { ...WAIT, what: 'something is found' });
    expect(await texts(page, '#found p')).toEqual(['Guides', 'Operations']);
    expect(await texts(page, '#found a[aria-selected=true]')).toHaveLength(1);
    await page.evaluate('q.select()');
    await page.send('Input.insertText', { text: 'timingSafeEqual' });
    await until(async () => (await texts(page, '#found a')).length === 1, { ...WAIT, what: 'one place' });
    await press(page, 'ArrowDown', 40);
    await press(page, 'Enter', 13, '\r');
    await until(async () => (await page.evaluate<string>('location.href')).endsWith('#typescript'), {
      ...WAIT,
      what: 'the page is there',
    });
    expect(complaints).toEqual([]);
  });

  it('says so when nothing is found, and shuts by Escape', async () => {
    const { page } = await visit('/docs/guides/states');
    await page.evaluate(`q.focus(); q.value = '<b>nowhere'; q.dispatchEvent(new Event('input'))`);
    await until(async () => (await texts(page, '#said'))[0] === 'Nothing found', { ...WAIT, what: 'it says so' });
    await press(page, 'Escape', 27);
    expect(await page.evaluate('found.hidden')).toBe(true);
  });

  it('takes an address of the page before to the same operation', async () => {
    const { page } = await visit('/docs#/Payouts/disburseKes');
    await until(async () => (await texts(page, '.opblock.is-open')).length === 1, { ...WAIT, what: 'it is open' });
    expect(await page.evaluate('location.pathname')).toBe('/docs/try');
  });

  it('works without JavaScript: the menu opens, and no control is useless', async () => {
    const { page } = await visit('/docs/operations/payouts', { script: false, width: 390, height: 844 });
    const { nodes } = await page.send('Accessibility.getFullAXTree', {});
    const named = (nodes as { ignored: boolean; role?: { value: string }; name?: { value: string } }[])
      .filter(({ ignored }) => !ignored)
      .map(({ role, name }) => `${role?.value ?? ''}: ${name?.value ?? ''}`);
    expect(named).toEqual(expect.arrayContaining(['heading: Payouts', 'heading: Pay out in KES', 'button: Menu']));
    expect(named.filter((one) => /^(button|searchbox|combobox)/.test(one))).toEqual(['button: Menu']);
    await page.send('Input.dispatchMouseEvent', { type: 'mousePressed', x: 30, y: 30, button: 'left', clickCount: 1 });
    await page.send('Input.dispatchMouseEvent', { type: 'mouseReleased', x: 30, y: 30, button: 'left', clickCount: 1 });
    await until(
      async () => {
        const { nodes: after } = await page.send('Accessibility.getFullAXTree', {});
        return JSON.stringify(after).includes('"Where is my money?"');
      },
      { ...WAIT, what: 'the menu is open' },
    );
  });

  it.each(
    drawn(
      'pages that fit',
      PAGES.flatMap((path) => [320, 1280].map((width) => [path, width] as const)),
      3,
    ),
  )('%s fits a screen of %i pixels', async (path, width) => {
    const { page } = await visit(path, { width, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });

  it.each(
    drawn(
      'pages to read',
      PAGES.flatMap((path) => [false, true].map((dark) => [path, dark] as const)),
      3,
    ),
  )('%s can be read by those who do not see well (dark: %s)', async (path, dark) => {
    const { page } = await visit(path, { dark });
    await page.evaluate(`q.focus(); q.value = 'webhook'; q.dispatchEvent(new Event('input'))`);
    await until(async () => (await texts(page, '#found a')).length > 5, { ...WAIT, what: 'something is found' });
    expect(await page.evaluate(LOW_CONTRAST)).toEqual([]);
    const { nodes } = await page.send('Accessibility.getFullAXTree', {});
    const tree = (nodes as { ignored: boolean; role?: { value: string }; name?: { value: string } }[]).filter(
      ({ ignored }) => !ignored,
    );
    const namesOf = (role: string): string[] =>
      tree.flatMap((node) => (node.role?.value === role ? [node.name?.value ?? ''] : []));
    for (const role of ['main', 'banner', 'search']) expect([role, namesOf(role).length]).toEqual([role, 1]);
    expect(namesOf('navigation')).toContain('Documentation');
    for (const role of ['navigation', 'link', 'button', 'combobox', 'option'])
      expect([role, namesOf(role).filter((name) => name === '')]).toEqual([role, []]);
  });
});
