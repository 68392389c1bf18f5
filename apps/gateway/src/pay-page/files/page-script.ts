/** Knows nothing of orders: the server sends each state as parts of the page. */
export const SCRIPT = `'use strict';
(() => {
  const order = document.getElementById('order');
  const offline = document.getElementById('offline');
  const said = document.getElementById('said');
  const wide = matchMedia('(min-width: 800px)');
  const SLOWEST_S = 15;
  /** Seconds left at which a reader of screens is told. */
  const TOLD_AT_S = [300, 120, 60, 30];
  let failures = 0;
  let timer = 0;
  let asking = false;
  let start;
  let toldS;

  /** The server says how much time is left; this device only how much has passed since. Who sleeps wakes up late, not early. */
  const leftS = () => start.leftS - Math.max(performance.now() - start.passedMs, Date.now() - start.timeMs) / 1000;
  const isOpen = () => order.dataset.open === 'true';

  function startClock(seconds) {
    start = { leftS: seconds, passedMs: performance.now(), timeMs: Date.now() };
    if (toldS === undefined) toldS = seconds;
    showClock();
  }

  function showClock() {
    const left = document.getElementById('left');
    if (!isOpen() || left === null) return;
    const seconds = Math.max(0, Math.ceil(leftS()));
    const text = Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0');
    if (left.textContent !== text) {
      left.textContent = text;
      document.getElementById('bar').value = seconds;
      const mark = TOLD_AT_S.find((at) => seconds <= at && toldS > at);
      if (mark !== undefined) said.textContent = (mark >= 60 ? Math.round(mark / 60) + (mark === 60 ? ' minute' : ' minutes') : mark + ' seconds') + ' left to pay';
      toldS = seconds;
    }
    left.closest('.clock').classList.toggle('soon', seconds <= 60);
    if (seconds === 0) timeIsUp();
  }

  /** Nobody is shown where to pay when it is too late, also where the server cannot be asked. */
  function timeIsUp() {
    if (!isOpen()) return;
    order.dataset.open = 'false';
    const pay = document.querySelector('[data-part=pay]');
    pay.inert = true;
    pay.classList.add('shut');
    for (const value of pay.querySelectorAll('code, a, .qr')) value.remove();
    ask(true);
  }

  function later(seconds) {
    clearTimeout(timer);
    if (seconds > 0) timer = setTimeout(ask, 1000 * (document.hidden ? Math.max(seconds, SLOWEST_S) : seconds));
  }

  async function get(url, type) {
    const answer = await fetch(url, { cache: 'no-store', credentials: 'omit', headers: { accept: type }, signal: AbortSignal.timeout(8000) });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer;
  }

  async function ask(surelyNew) {
    if (asking) return;
    asking = true;
    clearTimeout(timer);
    try {
      const { data } = await (await get(order.dataset.state, 'application/json')).json();
      startClock(data.seconds_left);
      if (surelyNew === true || data.phase !== order.dataset.phase || data.received_amount !== order.dataset.received) await takeOver();
      failures = 0;
      offline.textContent = '';
      later(Number(order.dataset.poll));
    } catch {
      failures += 1;
      if (failures > 1) offline.textContent = 'No connection. Trying again …';
      later(Math.min(SLOWEST_S, 3 * failures));
    } finally {
      asking = false;
    }
  }

  /** The page as it is now, in place of what is shown; what did not change is left alone. */
  async function takeOver() {
    const text = await (await get(location.pathname, 'text/html')).text();
    const next = new DOMParser().parseFromString(text, 'text/html');
    const nextOrder = next.getElementById('order');
    let hadFocus = false;
    for (const part of document.querySelectorAll('[data-part]')) {
      const other = next.querySelector('[data-part="' + part.dataset.part + '"]');
      if (other === null || other.innerHTML === part.innerHTML) continue;
      hadFocus = hadFocus || part.contains(document.activeElement);
      // It keeps its height, so that nothing moves under a finger. Where the screen is wide, nothing lies beneath where to pay.
      if (part.dataset.part !== 'pay' || !wide.matches) part.style.minHeight = part.offsetHeight + 'px';
      part.replaceChildren(...[...other.childNodes].map((node) => document.adoptNode(node)));
      part.classList.remove('shut');
      part.inert = false;
      if (other.hasAttribute('aria-label')) part.setAttribute('aria-label', other.getAttribute('aria-label'));
    }
    for (const name of Object.keys(nextOrder.dataset)) order.dataset[name] = nextOrder.dataset[name];
    document.title = next.title;
    startClock(Number(order.dataset.left));
    dress();
    if (hadFocus) document.getElementById('state-title').focus();
  }

  /** What only works with a script: buttons, and the time of day where the payer is. */
  function dress() {
    for (const button of document.querySelectorAll('[data-copy]')) button.hidden = false;
    const until = document.getElementById('until');
    if (until !== null) until.textContent = new Date(until.dateTime).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  }

  async function copy(button) {
    const value = document.getElementById(button.dataset.copy);
    let done;
    try {
      await navigator.clipboard.writeText(value.textContent);
      done = true;
    } catch {
      // No clipboard without https: the value is selected, as a person would.
      getSelection().selectAllChildren(value);
      done = document.execCommand('copy');
    }
    const verb = button.querySelector('.verb');
    verb.textContent = done ? 'Copied' : 'Selected';
    button.classList.add('done');
    said.textContent = button.dataset.what + (done ? ' copied' : ' selected');
    setTimeout(() => {
      verb.textContent = 'Copy';
      button.classList.remove('done');
    }, 2500);
  }

  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-copy]');
    if (button !== null) copy(button);
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && Number(order.dataset.poll) > 0) ask();
  });
  addEventListener('pageshow', (event) => {
    // From the browser's memory of pages: as it was then.
    if (event.persisted) ask(true);
  });
  setInterval(() => isOpen() && showClock(), 250);
  dress();
  startClock(Number(order.dataset.left));
  later(Number(order.dataset.poll));
})();
`;
