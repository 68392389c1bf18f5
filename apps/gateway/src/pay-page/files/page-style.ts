/** Light and dark, with the device's fonts: nothing is loaded from other hosts. */
export const STYLE = `
:root {
  --ink: #17252a; --soft: #51616a; --line: #d5dfdd; --page: #f4f8f7; --card: #fff; --brand: #0f5c4d; --brand-soft: #e6f1ee; --on-brand: #fff;
  --good: #0b6b3a; --good-soft: #e3f4ea; --bad: #9c2b1b; --bad-soft: #fdeeeb; --move: #1c4f8a; --move-soft: #e8f0fa; --note: #6b4a00; --note-soft: #fff5dc;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  color-scheme: light;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8efed; --soft: #a5b5b1; --line: #2f3f3c; --page: #0f1716; --card: #17211f; --brand: #63cdb4; --brand-soft: #16332d; --on-brand: #06201a;
    --good: #6fd59c; --good-soft: #123021; --bad: #ff9d8c; --bad-soft: #3a1a15; --move: #93c0f5; --move-soft: #16283e; --note: #f2cc75; --note-soft: #322710;
    color-scheme: dark;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 1000px; padding: 0 16px 32px; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; }
h1, h2, p, ul, dl, dd { margin: 0; padding: 0; }
a { color: var(--brand); }
:focus-visible { outline: 3px solid var(--move); outline-offset: 2px; border-radius: 4px; }
#state-title:focus { outline: none; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.bar { display: flex; align-items: center; gap: 10px; padding: 14px 0; }
.bar img { display: block; }
.name { font-weight: 650; font-size: 18px; }
.badge { margin-left: auto; padding: 3px 11px; border-radius: 99px; background: var(--note-soft); color: var(--note); font-size: 13px; font-weight: 600; }

#order { display: grid; gap: 12px; grid-template-columns: minmax(0, 1fr); }
.summary, .standing, .pay, .facts, .plain { padding: 18px; border: 1px solid var(--line); border-radius: 14px; background: var(--card); }
.label { display: block; color: var(--soft); font-size: 14px; font-weight: 500; line-height: 1.4; }
.summary h1 { font-weight: 400; }
.amount { display: block; font-size: 34px; font-weight: 700; line-height: 1.15; letter-spacing: -.02em; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.asset { font-size: .62em; font-weight: 650; letter-spacing: 0; white-space: nowrap; }
.network { margin-top: 2px; font-size: 18px; }
.worth { margin-top: 8px; color: var(--soft); font-size: 15px; overflow-wrap: anywhere; }

.standing { padding: 0; overflow: hidden; }
.state { display: grid; }
.told { display: flex; align-items: center; gap: 14px; min-height: 138px; padding: 16px 18px; background: var(--brand-soft); }
.told h2 { font-size: 18px; line-height: 1.3; overflow-wrap: anywhere; }
.told p { margin-top: 3px; font-size: 15px; line-height: 1.45; overflow-wrap: anywhere; }
.sign { flex: none; width: 30px; height: 30px; }
.waiting .sign { color: var(--brand); }
.told.moving { background: var(--move-soft); } .moving .sign { color: var(--move); }
.told.good { background: var(--good-soft); } .good .sign { color: var(--good); }
.told.bad { background: var(--bad-soft); } .bad .sign { color: var(--bad); }
.clock { padding: 12px 18px 18px; color: var(--soft); font-size: 15px; }
.clock p { line-height: 32px; }
.left { margin-right: 4px; color: var(--ink); font-size: 26px; font-weight: 700; font-variant-numeric: tabular-nums; }
.clock:empty { padding: 0; }
.standing:has(.clock:empty) .told { min-height: 92px; }
.soon .left { color: var(--bad); }
progress { display: block; width: 100%; height: 6px; margin-top: 6px; border: 0; border-radius: 3px; overflow: hidden; appearance: none; background: var(--line); color: var(--brand); }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--brand); }
progress::-moz-progress-bar { background: var(--brand); }
.soon progress::-webkit-progress-value { background: var(--bad); }
.soon progress::-moz-progress-bar { background: var(--bad); }
.offline { position: fixed; bottom: 14px; left: 50%; translate: -50%; width: max-content; max-width: calc(100% - 28px); padding: 10px 18px; border-radius: 10px; background: var(--ink); color: var(--page); font-size: 15px; }
.offline:empty { display: none; }

.warning { padding: 10px 14px; border-radius: 10px; background: var(--note-soft); color: var(--note); font-size: 15px; line-height: 1.45; }
.scan { margin: 16px 0 6px; text-align: center; }
.qr { display: block; width: 100%; max-width: 248px; height: auto; margin: 0 auto 10px; border-radius: 10px; border: 1px solid var(--line); }
.scan p { max-width: 44ch; margin: 0 auto; color: var(--soft); font-size: 15px; text-wrap: balance; }
.row { display: flex; align-items: center; gap: 12px; padding: 12px 0; border-top: 1px solid var(--line); }
.rows { margin-top: 14px; border-bottom: 1px solid var(--line); }
.value { flex: 1; min-width: 0; }
code { display: block; font: 500 15px/1.45 var(--mono); overflow-wrap: anywhere; }
code.number { font-size: 18px; font-weight: 650; }
.copy { flex: none; min-width: 88px; min-height: 44px; padding: 0 14px; border: 1px solid var(--brand); border-radius: 10px; background: transparent; color: var(--brand); font-family: inherit; font-size: 15px; font-weight: 600; cursor: pointer; }
.copy:hover { background: var(--brand-soft); }
.copy.done { background: var(--brand); color: var(--on-brand); }
.either { margin: 4px 0 14px; padding: 12px 14px 4px; border: 1px dashed var(--line); border-radius: 10px; }
.either p { font-size: 15px; }
.either .row { border-top: 0; border-bottom: 1px solid var(--line); }
.either .row:last-of-type { border-bottom: 0; padding-bottom: 8px; }
.either .warning { margin-bottom: 10px; }
.rows > .warning { margin-bottom: 14px; }
.shut > * { visibility: hidden; }
.small { margin: 18px 0 6px; font-size: 15px; }
.facts .small { margin-top: 0; }
.hints { padding-left: 20px; color: var(--soft); font-size: 15px; }
.hints li { margin: 5px 0; }
.after .sign { width: 52px; height: 52px; margin: 4px 0 8px; }
.after h2 { font-size: 20px; }
.after p { margin-top: 6px; overflow-wrap: anywhere; }
.after ul { margin-top: 6px; padding-left: 20px; }
.after li { margin: 8px 0; overflow-wrap: anywhere; }
.facts { font-size: 14px; }
dl > div { display: grid; grid-template-columns: minmax(90px, 30%) minmax(0, 1fr); gap: 10px; padding: 5px 0; }
dt { color: var(--soft); overflow-wrap: anywhere; }
dd { overflow-wrap: anywhere; }
.foot { margin: 18px 4px 0; color: var(--soft); font-size: 14px; }
.plain { max-width: 560px; margin: 8vh auto 0; }
.plain h1 { font-size: 24px; line-height: 1.25; }
.plain p { margin-top: 10px; }

@media (min-width: 800px) {
  #order { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); grid-template-rows: auto auto 1fr; gap: 16px; align-items: start; }
  .pay { grid-column: 2; grid-row: 1 / span 3; padding: 22px; }
  .summary, .facts { padding: 20px 22px; }
  .told, .clock { padding-left: 22px; padding-right: 22px; }
  .amount { font-size: 40px; }
  .told { min-height: 116px; }
  code { font-size: 14.5px; }
}
@media (max-width: 359px) {
  body { padding-left: 10px; padding-right: 10px; }
  .amount { font-size: 28px; }
  .told { min-height: 160px; }
  .copy { min-width: 76px; padding: 0 10px; }
}
@media (prefers-reduced-motion: no-preference) {
  .told.moving .sign { animation: turn 1.6s linear infinite; }
  @keyframes turn { to { transform: rotate(360deg); } }
}
@media (forced-colors: active) {
  .qr { forced-color-adjust: none; }
}
@media print {
  .copy, .foot { display: none; }
}
`;
