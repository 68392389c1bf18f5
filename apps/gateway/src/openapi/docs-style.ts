/** Over swagger-ui's own: calmer, and readable on a telephone. */
export const STYLE = `
:root { --ink: #1b2a2f; --soft: #5b6b70; --line: #dfe6e4; --brand: #0f5c4d; --brand-soft: #e8f2ef; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
.bar { position: sticky; top: 0; z-index: 20; display: flex; align-items: center; gap: 14px; padding: 10px 24px; background: #fff; border-bottom: 1px solid var(--line); }
.bar-name { display: flex; align-items: center; gap: 10px; color: var(--ink); font-weight: 650; font-size: 18px; text-decoration: none; }
.bar-env { padding: 2px 10px; border-radius: 99px; font-size: 13px; white-space: nowrap; }
.bar-env-sandbox { background: var(--brand-soft); color: var(--brand); }
.bar-env-live { background: #fdecea; color: #a3281b; font-weight: 650; }
.bar-link { margin-left: auto; color: var(--brand); font-size: 14px; }
.wait { margin: 60px auto; text-align: center; color: var(--soft); }
`;
