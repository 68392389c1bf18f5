/** Of all pages of the site, light and dark. Letters of the device: nothing comes from elsewhere. */
export const STYLE = `
:root {
  --ink: #17252a; --soft: #51616a; --line: #dde5e3; --page: #fff; --paper: #f5f8f7; --brand: #0f5c4d; --brand-soft: #e6f1ee; --on-brand: #fff;
  --get: #1c4f8a; --get-soft: #e8f0fa; --bad: #9c2b1b; --bad-soft: #fdeeeb; --mark: #ffe9a8; --code: #f4f7f6;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --bar: 60px;
  color-scheme: light;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6eeeb; --soft: #a5b5b1; --line: #2b3a37; --page: #0f1716; --paper: #16201e; --brand: #63cdb4; --brand-soft: #16332d; --on-brand: #06201a;
    --get: #93c0f5; --get-soft: #16283e; --bad: #ff9d8c; --bad-soft: #3a1a15; --mark: #5c4a12; --code: #16201e;
    color-scheme: dark;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: calc(var(--bar) + 16px); }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.65 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; }
a { color: var(--brand); text-underline-offset: 3px; }
:focus-visible { outline: 3px solid var(--get); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: fixed; top: -60px; left: 12px; z-index: 30; padding: 8px 14px; border-radius: 8px; background: var(--brand); color: var(--on-brand); }
.skip:focus { top: 10px; }

.bar { position: sticky; top: 0; z-index: 20; display: flex; align-items: center; gap: 12px; height: var(--bar); padding: 0 24px; border-bottom: 1px solid var(--line); background: var(--page); }
.name { display: flex; align-items: center; gap: 10px; color: var(--ink); font-size: 18px; font-weight: 650; text-decoration: none; white-space: nowrap; }
.name img { display: block; }
.env { padding: 1px 10px; border-radius: 99px; font-size: 13px; font-weight: 600; }
.env-sandbox { background: var(--brand-soft); color: var(--brand); }
.env-live { background: var(--bad-soft); color: var(--bad); }
.raw { font-size: 14px; white-space: nowrap; }
.menu { display: none; min-width: 44px; min-height: 44px; margin-left: -10px; border: 0; border-radius: 8px; background: none; color: var(--ink); font-size: 21px; cursor: pointer; }
.search { position: relative; flex: 1; max-width: 440px; margin-left: auto; }
.search input { width: 100%; height: 40px; padding: 0 40px 0 14px; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); color: var(--ink); font: inherit; font-size: 15px; }
.search input::placeholder { color: var(--soft); opacity: 1; }
.search input::-webkit-search-cancel-button { display: none; }
.search kbd { position: absolute; top: 9px; right: 10px; padding: 0 7px; border: 1px solid var(--line); border-radius: 5px; background: var(--page); color: var(--soft); font: 13px/20px var(--mono); pointer-events: none; }
.search:not([hidden]) ~ .raw { margin-left: 4px; }
.search[hidden] ~ .raw { margin-left: auto; }
#found { position: absolute; top: 48px; right: 0; width: min(620px, calc(100vw - 24px)); max-height: min(76vh, 680px); overflow: auto; padding: 8px; border: 1px solid var(--line); border-radius: 12px; background: var(--page); box-shadow: 0 14px 40px rgb(0 0 0 / .22); }
#found p { margin: 6px 10px; color: var(--soft); font-size: 13px; font-weight: 600; }
#found a { display: grid; grid-template-columns: 1fr auto; gap: 0 12px; padding: 8px 10px; border-radius: 8px; color: var(--ink); text-decoration: none; }
#found a[aria-selected=true], #found a:hover { background: var(--brand-soft); }
#found strong { font-size: 15px; font-weight: 620; line-height: 1.4; overflow-wrap: anywhere; }
#found .page { color: var(--soft); font-size: 13px; }
#found .text { grid-column: 1 / -1; color: var(--soft); font-size: 13.5px; line-height: 1.45; overflow-wrap: anywhere; }
mark { border-radius: 3px; background: var(--mark); color: var(--ink); }

.shell { display: grid; grid-template-columns: 264px minmax(0, 1fr) 232px; max-width: 1440px; margin: 0 auto; }
.side { position: sticky; inset: auto; top: var(--bar); display: block; width: auto; height: calc(100vh - var(--bar)); margin: 0; overflow: auto; padding: 20px 12px 40px 24px; border: 0; border-right: 1px solid var(--line); background: var(--page); color: var(--ink); scrollbar-width: thin; }
.side h2, .toc h2 { margin: 20px 12px 4px; font-size: 13px; font-weight: 650; color: var(--soft); }
.side h2:first-child, .toc h2 { margin-top: 0; }
.side ul, .toc ul { margin: 0; padding: 0; list-style: none; }
.side a { display: block; padding: 5px 12px; border-radius: 8px; color: var(--ink); font-size: 15px; line-height: 1.45; text-decoration: none; }
.side a:hover { background: var(--paper); }
.side a[aria-current] { background: var(--brand-soft); color: var(--brand); font-weight: 620; }
main { min-width: 0; padding: 28px 48px 64px; }
article { max-width: 800px; margin: 0 auto; }
.toc { position: sticky; top: var(--bar); max-height: calc(100vh - var(--bar)); overflow: auto; padding: 36px 16px 40px 0; scrollbar-width: thin; }
.toc a { display: block; padding: 3px 12px; border-left: 2px solid var(--line); color: var(--soft); font-size: 13.5px; line-height: 1.45; text-decoration: none; overflow-wrap: anywhere; }
.toc a:hover { border-color: var(--brand); color: var(--brand); }
.toc .depth-3 a { padding-left: 24px; }

.group { margin: 0; color: var(--brand); font-size: 14px; font-weight: 620; }
h1 { margin: 2px 0 18px; font-size: 34px; font-weight: 700; line-height: 1.2; letter-spacing: -.02em; }
article h2 { margin: 44px 0 10px; font-size: 23px; font-weight: 660; line-height: 1.3; letter-spacing: -.01em; }
article h3 { margin: 28px 0 8px; font-size: 18px; font-weight: 650; line-height: 1.35; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover { text-decoration: underline; text-decoration-color: var(--line); }
:target > .anchor { text-decoration: underline; text-decoration-color: var(--brand); text-decoration-thickness: 3px; }
article p, article li { max-width: 72ch; overflow-wrap: break-word; }
article p { margin: 0 0 14px; }
article ul, article ol { margin: 0 0 16px; padding-left: 24px; }
article li { margin: 4px 0; }
code { padding: 1.5px 5px; border-radius: 5px; background: var(--brand-soft); font: 500 .875em/1.4 var(--mono); overflow-wrap: anywhere; }
.code { position: relative; margin: 0 0 18px; }
pre { margin: 0; overflow: auto; padding: 14px 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--code); font: 13.5px/1.6 var(--mono); tab-size: 4; }
pre code { padding: 0; background: none; font: inherit; overflow-wrap: normal; }
.copy { position: absolute; top: 7px; right: 7px; padding: 3px 11px; border: 1px solid var(--line); border-radius: 7px; background: var(--page); color: var(--soft); font: 500 13px/1.5 system-ui, sans-serif; cursor: pointer; }
.copy:hover { color: var(--brand); border-color: var(--brand); }
.scroll { overflow-x: auto; margin: 0 0 18px; border: 1px solid var(--line); border-radius: 10px; }
table { width: 100%; border-collapse: collapse; font-size: 14.5px; line-height: 1.5; }
th, td { padding: 8px 14px; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
tbody tr:last-child td { border-bottom: 0; }
th { background: var(--paper); font-weight: 620; }
thead:not(:has(th:not(:empty))) { display: none; }
td p { margin: 0; }
td code { overflow-wrap: normal; }
.next { display: flex; justify-content: space-between; gap: 16px; max-width: 800px; margin: 56px auto 0; padding-top: 18px; border-top: 1px solid var(--line); }
.next a { text-decoration: none; font-weight: 560; }
.next .after { margin-left: auto; text-align: right; }

.machine { padding: 12px 18px; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); list-style: none; }
.leads { color: var(--soft); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(240px, 1fr)); gap: 14px; padding: 0; list-style: none; }
.cards li { margin: 0; }
.cards a { display: block; height: 100%; padding: 15px 18px; border: 1px solid var(--line); border-radius: 12px; color: var(--ink); text-decoration: none; }
.cards a:hover { border-color: var(--brand); background: var(--paper); }
.cards strong { display: block; color: var(--brand); }
.cards span { display: block; margin-top: 3px; color: var(--soft); font-size: 14.5px; line-height: 1.45; }
.groups { display: flex; flex-wrap: wrap; gap: 8px; padding: 0; list-style: none; }
.groups li { margin: 0; padding: 3px 14px; border: 1px solid var(--line); border-radius: 99px; font-size: 15px; }
.groups span { color: var(--soft); font-size: 13px; }

.overview { padding: 6px 0; border: 1px solid var(--line); border-radius: 10px; list-style: none; }
.overview li { max-width: none; margin: 0; }
.overview a { display: grid; grid-template-columns: 54px minmax(0, 1fr) minmax(0, 1fr); gap: 12px; align-items: baseline; padding: 4px 16px; color: var(--ink); font-size: 14.5px; text-decoration: none; }
.overview a:hover { background: var(--paper); }
.overview code, .call code { padding: 0; background: none; font-weight: 600; }
.overview a > span:last-child { color: var(--soft); }
.verb { display: inline-block; padding: 1px 8px; border-radius: 6px; background: var(--brand-soft); color: var(--brand); font: 650 12px/1.6 var(--mono); text-align: center; }
.verb-get { background: var(--get-soft); color: var(--get); }
.operation { margin-top: 48px; padding-top: 4px; border-top: 1px solid var(--line); }
.operation h2 { margin-top: 28px; }
.operation h3 { margin: 22px 0 8px; font-size: 15.5px; }
.call { display: flex; flex-wrap: wrap; align-items: baseline; gap: 10px; max-width: none !important; }
.try { margin-left: auto; padding: 2px 14px; border: 1px solid var(--brand); border-radius: 8px; font-size: 14px; font-weight: 560; text-decoration: none; }
.try:hover { background: var(--brand-soft); }
.key, .required { color: var(--soft); font-size: 14px; }
.required { white-space: nowrap; font-size: 12.5px; }
details { margin: 0 0 10px; padding: 8px 16px; border: 1px solid var(--line); border-radius: 10px; }
summary { font-size: 15px; font-weight: 560; cursor: pointer; }
details > .scroll, details > .code { margin: 10px 0 6px; }
.refusals { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; list-style: none; font-size: 14px; }

.wait { margin: 80px auto; text-align: center; color: var(--soft); }
.wide .shell { display: block; max-width: 1180px; }
.wide .side:not(:popover-open) { display: none; }
.wide .menu { display: block; }
.wide main { padding: 8px 20px 60px; }

@media (max-width: 1180px) {
  .shell { grid-template-columns: 244px minmax(0, 1fr); }
  .toc { display: none; }
  main { padding: 28px 32px 64px; }
}
@media (max-width: 860px) {
  .shell { display: block; }
  .menu { display: block; }
  .side:not(:popover-open) { display: none; }
  .bar { gap: 8px; padding: 0 16px; }
  .raw, .search kbd { display: none; }
  main { padding: 20px 16px 56px; }
  h1 { font-size: 28px; }
  article h2 { margin-top: 36px; font-size: 21px; }
  table { font-size: 14px; }
  th, td { padding: 7px 12px; }
  td:not(:first-child) { min-width: 160px; }
  .search input { padding-right: 12px; font-size: 16px; }
  #found { position: fixed; top: calc(var(--bar) + 4px); left: 12px; right: 12px; width: auto; }
  .overview a { grid-template-columns: 54px minmax(0, 1fr); gap: 0 10px; padding: 7px 12px; }
  .overview a > span:last-child { grid-column: 2; }
  .side a, .next a { padding-block: 9px; }
}
@media (max-width: 420px) {
  .name { font-size: 0; gap: 0; }
}
.side:popover-open { position: fixed; inset: var(--bar) auto 0 0; width: min(320px, 86vw); height: calc(100dvh - var(--bar)); box-shadow: 8px 0 30px rgb(0 0 0 / .25); }
.side:popover-open::backdrop { top: var(--bar); background: rgb(0 0 0 / .35); }
@media print { .bar, .side, .toc, .next, .copy { display: none; } .shell { display: block; } }
`;
