/** What a reader's browser runs: the search, and buttons that copy code. Everything can be read without it. */
export const SCRIPT = `'use strict';
(() => {
  const search = document.querySelector('.search');
  const input = document.getElementById('q');
  const found = document.getElementById('found');
  const said = document.getElementById('said');
  const MOST = { guide: 7, operation: 6 };
  const NAMES = { guide: 'Guides', operation: 'Operations' };
  let index;
  let chosen = -1;

  // Addresses of the page before this one: operations were its anchors.
  if (location.pathname.replace(/[/]$/, '') === '/docs' && location.hash.startsWith('#/')) location.replace('/docs/try' + location.hash);

  /** Loaded once, when somebody is about to search. */
  function load() {
    index ??= fetch(search.dataset.index, { credentials: 'omit' }).then((answer) => {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.json();
    });
    index.catch(() => (index = undefined));
    return index;
  }

  /** Every word has to be there. A title counts more than a text, and the beginning of a word more than its middle. */
  function score(entry, words) {
    const title = entry.t.toLowerCase();
    const page = entry.p.toLowerCase();
    const text = entry.x.toLowerCase();
    let sum = 0;
    for (const word of words) {
      const at = title.indexOf(word);
      if (at < 0 && !text.includes(word) && !page.includes(word)) return 0;
      if (at >= 0) sum += at === 0 || !/[a-z0-9]/.test(title[at - 1]) ? 12 : 6;
      if (page.includes(word)) sum += 4;
      sum += Math.min(text.split(word).length - 1, 6);
    }
    // The page itself before its sections, and a short title before a long one.
    return sum + (entry.u.includes('#') ? 0 : 1) - title.length / 200;
  }

  function marked(text, words) {
    const parts = document.createElement('span');
    let rest = text;
    for (;;) {
      const places = words.map((word) => [rest.toLowerCase().indexOf(word), word.length]).filter(([at]) => at >= 0);
      if (places.length === 0) break;
      const [at, length] = places.sort((a, b) => a[0] - b[0] || b[1] - a[1])[0];
      const mark = document.createElement('mark');
      mark.textContent = rest.slice(at, at + length);
      parts.append(rest.slice(0, at), mark);
      rest = rest.slice(at + length);
    }
    parts.append(rest);
    return parts;
  }

  function around(text, words) {
    const at = Math.max(0, ...words.map((word) => text.toLowerCase().indexOf(word)));
    const from = at < 50 ? 0 : text.indexOf(' ', at - 50) + 1;
    const to = text.length - from < 140 ? text.length : text.lastIndexOf(' ', from + 130);
    return (from > 0 ? '… ' : '') + text.slice(from, to) + (to < text.length ? ' …' : '');
  }

  function shownEntry(entry, words, place) {
    const link = document.createElement('a');
    link.href = entry.u;
    link.id = 'found-' + place;
    link.role = 'option';
    link.tabIndex = -1;
    link.ariaSelected = 'false';
    const title = document.createElement('strong');
    title.append(marked(entry.t, words));
    const page = document.createElement('span');
    page.className = 'page';
    page.textContent = entry.p === entry.t ? '' : entry.p;
    const text = document.createElement('span');
    text.className = 'text';
    text.append(marked(around(entry.x, words), words));
    link.append(title, page, text);
    return link;
  }

  async function show() {
    const asked = input.value;
    const words = asked.toLowerCase().split(/\\s+/).filter((word) => word !== '');
    if (words.length === 0) return close();
    let entries;
    try {
      entries = await load();
    } catch {
      said.textContent = 'The search could not be loaded';
      return;
    }
    if (input.value !== asked) return;
    const hits = entries.map((entry) => ({ entry, score: score(entry, words) })).filter((hit) => hit.score > 0);
    hits.sort((a, b) => b.score - a.score);
    found.replaceChildren();
    let place = 0;
    for (const kind of Object.keys(NAMES)) {
      const some = hits.filter(({ entry }) => entry.k === kind).slice(0, MOST[kind]);
      if (some.length === 0) continue;
      const group = document.createElement('div');
      group.role = 'group';
      group.ariaLabel = NAMES[kind];
      const head = document.createElement('p');
      head.ariaHidden = 'true';
      head.textContent = NAMES[kind];
      group.append(head, ...some.map(({ entry }) => shownEntry(entry, words, place++)));
      found.append(group);
    }
    if (place === 0) {
      const none = document.createElement('p');
      none.textContent = 'Nothing found. Try one word, such as a code or a field.';
      found.append(none);
    }
    said.textContent = place === 0 ? 'Nothing found' : place + ' found';
    found.hidden = false;
    found.scrollTop = 0;
    input.setAttribute('aria-expanded', 'true');
    choose(place === 0 ? -1 : 0);
  }

  function choose(place) {
    const options = found.querySelectorAll('[role=option]');
    options[chosen]?.setAttribute('aria-selected', 'false');
    chosen = place;
    const option = options[place];
    if (option === undefined) return input.removeAttribute('aria-activedescendant');
    option.setAttribute('aria-selected', 'true');
    option.scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', option.id);
  }

  function close() {
    found.hidden = true;
    chosen = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }

  input.addEventListener('focus', () => {
    load().catch(() => undefined);
    if (input.value !== '') show();
  });
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    const count = found.querySelectorAll('[role=option]').length;
    if (event.key === 'Escape') {
      if (found.hidden) input.blur();
      close();
    } else if (found.hidden || count === 0) return;
    else if (event.key === 'ArrowDown') choose((chosen + 1) % count);
    else if (event.key === 'ArrowUp') choose((chosen + count - 1) % count);
    else if (event.key === 'Enter') found.querySelectorAll('[role=option]')[chosen]?.click();
    else return;
    event.preventDefault();
  });
  document.addEventListener('click', (event) => {
    // An anchor of this very page loads nothing: the list goes by itself.
    if (!search.contains(event.target) || event.target.closest('[role=option]') !== null) close();
  });
  document.addEventListener('keydown', (event) => {
    const writes = event.target.closest('input, textarea, select, [contenteditable]') !== null;
    if (event.key !== '/' || writes || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  search.hidden = false;

  /** No clipboard without https: the code is selected, as a person would. */
  async function copy(button, code) {
    let done = true;
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      done = document.execCommand('copy');
    }
    button.textContent = done ? 'Copied' : 'Selected';
    setTimeout(() => (button.textContent = 'Copy'), 2500);
  }

  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => copy(button, block.querySelector('code')));
    block.append(button);
  }

  const side = document.getElementById('side');
  side.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  // In the menu of a phone, a place on this page is reached when the menu is gone.
  side.addEventListener('click', (event) => event.target.closest('a') !== null && side.matches(':popover-open') && side.hidePopover());
})();
`;
