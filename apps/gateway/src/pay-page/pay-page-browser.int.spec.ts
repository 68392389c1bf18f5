import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OrderView } from '@vuka/contracts';
import { Chromium, chromiumFor, LOW_CONTRAST, until, visitPage, type Visit, type VisitOptions } from '@vuka/testing';

import { startTestGateway, type TestGateway } from '../testing/gateway.spec-support.js';
import { madeUpOrder } from './made-up-order.spec-support.js';

const PATH = chromiumFor('the payment page');
const inBrowser = PATH === null ? describe.skip : describe;
// A browser starts slowly on a machine that has other things to do.
jest.setTimeout(60_000);
const WAIT = { withinMs: 20_000, everyMs: 50 };

const COUNTS_SHIFTS =
  'window.shifts = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shifts += value; }).observe({ type: "layout-shift", buffered: true });';

interface OrderVisit extends Visit {
  readonly text: (selector: string) => Promise<string>;
}

inBrowser('the page in Chromium', () => {
  let gateway: TestGateway;
  let browser: Chromium;
  let order: OrderView;
  let made = 0;
  const base = (): string => `http://localhost:${String(gateway.port)}`;

  beforeAll(async () => {
    gateway = await startTestGateway();
    browser = await Chromium.start(PATH ?? '');
  });

  afterAll(async () => {
    await browser?.stop();
    await gateway?.stop();
  });

  beforeEach(() => {
    // An order of its own for each: what was told of another one is remembered for a second.
    change(madeUpOrder({ createdAt: new Date(), page_token: `token_of_the_order_${String(++made)}` }));
  });

  function change(to: OrderView): void {
    order = to;
    gateway.checkout.orders.clear();
    gateway.checkout.orders.set('1/made-up', order);
  }

  async function visit(options: VisitOptions = {}): Promise<OrderVisit> {
    const url = `${base()}/pay/${String(order.page_token)}`;
    const visited = await visitPage(browser, url, { width: 390, height: 844, first: COUNTS_SHIFTS, ...options });
    const text = (selector: string): Promise<string> =>
      visited.page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
    return { ...visited, text };
  }

  const paid = (): OrderView => ({
    ...order,
    status: 'COMPLETE',
    received_minor: order.due_minor,
    transaction_hash: `0x${'ab'.repeat(32)}`,
  });

  it('loads only from our own address, and keeps its policy', async () => {
    const { page, requests, complaints } = await visit();
    await until(() => requests.some((url) => url.endsWith('/state')), {
      ...WAIT,
      what: 'the page has asked how it stands',
    });
    expect(requests.filter((url) => !url.startsWith(`${base()}/pay/`))).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await page.evaluate('document.cookie + localStorage.length + sessionStorage.length')).toBe('00');
  });

  it('counts down by the time of the server, not of the device', async () => {
    const { page, text } = await visit();
    const first = await text('#left');
    expect(first).toMatch(/^(7:00|6:5\d)$/);
    expect(await until(async () => (await text('#left')) < first, { ...WAIT, what: 'the countdown moves' })).toBe(true);
    expect(await page.evaluate('document.getElementById("bar").value')).toBeLessThan(420);
  });

  it('copies the amount and the address whole, by mouse or keyboard, and says so', async () => {
    const { page, text } = await visit();
    await page.send('Page.bringToFront', {});
    await browser.send('Browser.grantPermissions', {
      origin: base(),
      permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'],
      browserContextId: page.ids.browserContextId,
    });
    for (const [what, value] of [
      ['amount', '11.596444'],
      ['address', order.address],
    ]) {
      await page.evaluate(`document.querySelector('[data-copy=${what}]').focus()`);
      await page.send('Input.dispatchKeyEvent', {
        type: 'keyDown',
        key: 'Enter',
        code: 'Enter',
        windowsVirtualKeyCode: 13,
        text: '\r',
      });
      await page.send('Input.dispatchKeyEvent', {
        type: 'keyUp',
        key: 'Enter',
        code: 'Enter',
        windowsVirtualKeyCode: 13,
      });
      await until(async () => (await text(`[data-copy=${what}] .verb`)) === 'Copied', {
        ...WAIT,
        what: `the ${what} is copied`,
      });
      expect([await page.evaluate('navigator.clipboard.readText()'), (await text('#said')).toLowerCase()]).toEqual([
        value,
        `${what} copied`,
      ]);
    }
  });

  it('shows each change by itself, without moving the layout, and removes the address at the end', async () => {
    const { page, text, complaints } = await visit();
    expect(await text('h2')).toBe('Waiting for your payment');
    const steps: [OrderView, string][] = [
      [{ ...order, status: 'PROCESSING', received_minor: '8000000' }, '3.596444 USDC is missing'],
      [{ ...order, status: 'PROCESSING', received_minor: order.due_minor }, 'Payment seen, being confirmed'],
      [paid(), 'Paid'],
    ];
    for (const [to, title] of steps) {
      change(to);
      // Once it finds out by itself; then it is told that somebody looks at it again, which asks at once.
      if (to.received_minor !== '8000000') await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
      await until(async () => (await text('h2')) === title, { ...WAIT, what: title });
      expect((await page.evaluate<string>('document.body.textContent')).includes(order.address)).toBe(
        title.endsWith('missing'),
      );
    }
    expect(await page.evaluate('document.querySelectorAll(".qr, [data-copy], #left").length')).toBe(0);
    expect(await page.evaluate('document.title')).toBe('Paid · 11.596444 USDC');
    expect(await page.evaluate<number>('window.shifts')).toBeLessThan(0.01);
    expect(complaints).toEqual([]);
  });

  it('hides the address when the time is up, even if the server cannot be asked', async () => {
    const { page, text } = await visit();
    expect(await text('#address')).toBe(order.address);
    await page.send('Network.emulateNetworkConditions', {
      offline: true,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
    // As after a sleep: the device's time has gone on, and nothing was counted meanwhile.
    change(madeUpOrder({ createdAt: new Date(Date.now() - 425_000), page_token: order.page_token }));
    await page.evaluate('{ const now = Date.now; Date.now = () => now() + 425000; }');
    await until(async () => (await text('#address')) === '', { ...WAIT, what: 'the address is gone' });
    await until(async () => (await text('#offline')) !== '', { ...WAIT, what: 'it says that it has no connection' });
    await page.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
    await until(async () => (await text('h2')) === 'Time is up, we are looking', {
      ...WAIT,
      what: 'it shows what we say',
    });
    await until(async () => (await text('#offline')) === '', { ...WAIT, what: 'the notice is gone' });
  });

  it('says the same without JavaScript, and loads itself anew', async () => {
    const { page } = await visit({ script: false });
    // The protocol looks into a page whose own scripts are switched off.
    const { root } = await page.send('DOM.getDocument', { depth: -1 });
    const { outerHTML } = await page.send('DOM.getOuterHTML', { nodeId: (root as { nodeId: number }).nodeId });
    expect(outerHTML).toContain('<meta http-equiv="refresh" content="15">');
    const { nodes } = await page.send('Accessibility.getFullAXTree', {});
    const named = (nodes as { role?: { value: string }; name?: { value: string } }[]).map(
      ({ role, name }) => `${role?.value ?? ''}: ${name?.value ?? ''}`,
    );
    expect(named).toEqual(
      expect.arrayContaining(['heading: Waiting for your payment', `StaticText: ${order.address}`]),
    );
    expect(named.filter((one) => one.startsWith('button'))).toEqual([]);
  });

  it.each([true, false])(
    'can be read by those who do not see it: names, landmarks, contrast (dark: %s)',
    async (dark) => {
      const { page } = await visit({ dark });
      const { nodes } = await page.send('Accessibility.getFullAXTree', {});
      const tree = (nodes as { ignored: boolean; role?: { value: string }; name?: { value: string } }[])
        .filter(({ ignored }) => !ignored)
        .map(({ role, name }) => [role?.value ?? '', name?.value ?? '']);
      const namesOf = (wanted: string): string[] =>
        tree.filter(([role]) => role === wanted).map(([, name = '']) => name);
      expect(['banner', 'main', 'contentinfo'].map((role) => namesOf(role).length)).toEqual([1, 1, 1]);
      expect(namesOf('heading').sort()).toEqual([
        'Details',
        'Good to know',
        'Pay 11.596444 USDC',
        'Waiting for your payment',
      ]);
      expect(namesOf('button')).toEqual(['Copy Amount', 'Copy Address']);
      expect(namesOf('timer')).toEqual(['Time left to pay']);
      expect(namesOf('status').length).toBe(2);
      for (const role of ['region', 'image', 'link']) expect(namesOf(role).filter((name) => name === '')).toEqual([]);
      expect(await page.evaluate(LOW_CONTRAST)).toEqual([]);
      expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    },
  );

  it.each([
    [320, 640],
    [390, 844],
    [1280, 900],
  ])('fits a screen of %i pixels: nothing to scroll sideways, buttons that a thumb finds', async (width, height) => {
    const { page } = await visit({ width, height });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const small =
      '[...document.querySelectorAll("button")].filter((one) => { const { width, height } = one.getBoundingClientRect(); return width < 44 || height < 44; }).length';
    expect(await page.evaluate(small)).toBe(0);
  });
});
