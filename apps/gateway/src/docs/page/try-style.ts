/** Over swagger-ui's own, with the colours of the site: calmer, one accent, light and dark, and readable on a phone. */
const RULES = `
.swagger-ui { background: var(--page); color: var(--ink); }
.swagger-ui .btn { border-color: var(--line); color: var(--ink); }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description, .swagger-ui table thead tr td, .swagger-ui table thead tr th,
.swagger-ui .btn, .swagger-ui select, .swagger-ui .parameter__name, .swagger-ui .response-col_status, .swagger-ui .opblock .opblock-section-header h4, .swagger-ui .opblock-description-wrapper p,
.swagger-ui .info li, .swagger-ui .info p, .swagger-ui .info table, .swagger-ui .tab li, .swagger-ui label { font-family: inherit; color: var(--ink); }
.swagger-ui .wrapper { max-width: 1140px; padding: 0 20px; }
.swagger-ui .info { margin: 34px 0 10px; }
.swagger-ui .info hgroup.main { margin: 0; }
.swagger-ui .info .title, .swagger-ui .info hgroup.main .link, .swagger-ui .info hgroup.main > a { display: none; }
.swagger-ui .info .info__summary, .swagger-ui .info .info__summary p { margin: 0 0 6px; font-size: 29px; line-height: 1.25; font-weight: 680; letter-spacing: -.01em; }
.swagger-ui .info .markdown > p:first-child { max-width: 70ch; font-size: 17px; color: var(--soft); }
.swagger-ui .info h2 { margin: 26px 0 8px; font-size: 19px; font-family: inherit; color: var(--ink); }
.swagger-ui .info p, .swagger-ui .info li { font-size: 15px; line-height: 1.6; margin: 6px 0; max-width: 90ch; }
.swagger-ui .info table { width: auto; padding: 0; margin: 10px 0 16px; border: 1px solid var(--line); border-radius: 8px; border-collapse: separate; border-spacing: 0; overflow: hidden; }
.swagger-ui .info table thead tr th, .swagger-ui .info table tbody tr td, .swagger-ui .info table tbody tr td:first-of-type { padding: 5px 16px 5px 12px; font-size: 14px; border: 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.swagger-ui .info table tbody tr:last-child td { border-bottom: 0; }
.swagger-ui .info table thead { background: var(--paper); }
.swagger-ui .info details { margin: 18px 0 4px; padding: 10px 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); }
.swagger-ui .info summary { cursor: pointer; font-weight: 650; }
.swagger-ui .info a, .swagger-ui .markdown a { color: var(--brand); }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { padding: 1px 5px; border-radius: 4px; background: var(--brand-soft); color: var(--ink); font: 500 .88em/1.4 var(--mono); }

.swagger-ui .scheme-container { margin: 0 0 6px; padding: 8px 0 12px; background: none; box-shadow: none; border-bottom: 1px solid var(--line); }
.swagger-ui .scheme-container .schemes { justify-content: flex-end; }
.swagger-ui .scheme-container .schemes .schemes-server-container { display: none; }
.swagger-ui .btn.authorize { margin: 0; padding: 7px 18px; border: 0; border-radius: 7px; background: var(--brand); color: var(--on-brand); }
.swagger-ui .authorization__btn svg { opacity: .45; }
.swagger-ui .authorization__btn .locked { opacity: 1; }
.swagger-ui .btn.authorize svg { fill: var(--on-brand); color: var(--on-brand); }
.swagger-ui .btn.authorize span { padding: 0 10px 0 0; }
.swagger-ui .btn.execute { border-color: var(--brand); border-radius: 6px; background: var(--brand); color: var(--on-brand); }
.swagger-ui .filter .operation-filter-input { margin: 12px 0; padding: 9px 12px; border: 1px solid var(--line); border-radius: 7px; font: inherit; font-size: 15px; }
.swagger-ui .opblock-tag { color: var(--ink); border-color: var(--line); padding: 12px 4px; font-size: 21px; border-bottom: 1px solid var(--line); }
.swagger-ui .opblock-tag small { padding: 0 14px; font-size: 14px; line-height: 1.5; color: var(--soft); }
.swagger-ui .opblock-tag small, .swagger-ui .opblock-tag small p { margin: 0; font-family: inherit; color: var(--soft); font-size: 14px; }
.swagger-ui .opblock { margin: 0 0 8px; border: 1px solid var(--line); border-radius: 8px; box-shadow: none; background: var(--page); }
.swagger-ui .opblock .opblock-summary { padding: 6px 8px; border: 0; }
.swagger-ui .opblock.is-open { border-color: var(--brand); }
.swagger-ui .opblock.is-open .opblock-summary { border-bottom: 1px solid var(--line); background: var(--paper); border-radius: 8px 8px 0 0; }
.swagger-ui .opblock .opblock-summary-method { min-width: 58px; padding: 4px 0; border-radius: 5px; font-size: 12px; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: var(--brand); color: var(--on-brand); }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: var(--get); color: var(--page); }
.swagger-ui .opblock.opblock-post, .swagger-ui .opblock.opblock-get { background: var(--page); border-color: var(--line); }
.swagger-ui .opblock .opblock-summary-path { font: 600 14px/1.5 var(--mono); color: var(--ink); }
.swagger-ui .opblock .opblock-summary-description { font-size: 14px; color: var(--soft); }
.swagger-ui .opblock .opblock-section-header, .swagger-ui .opblock.opblock-post .opblock-section-header, .swagger-ui .opblock.opblock-get .opblock-section-header { background: var(--paper); box-shadow: none; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); min-height: 42px; }
.swagger-ui .opblock .tab-header .tab-item.active h4 span:after { background: var(--brand); }
.swagger-ui .opblock-description-wrapper p { font-size: 14.5px; line-height: 1.6; max-width: 100ch; }
.swagger-ui textarea, .swagger-ui input[type=text], .swagger-ui select { border-color: var(--line); border-radius: 6px; font-family: var(--mono); }
.swagger-ui textarea.body-param__text { min-height: 150px; height: 190px; background: var(--paper); }
.swagger-ui .btn { box-shadow: none; }
.swagger-ui .opblock .tab-header .tab-item.active h4 span::after, .swagger-ui .opblock.opblock-post .tab-header .tab-item.active h4 span::after { background: var(--brand); }
.swagger-ui .opblock.opblock-post .opblock-summary { border-color: var(--line); }
.swagger-ui .markdown p, .swagger-ui .renderedMarkdown p, .swagger-ui .opblock-description-wrapper, .swagger-ui .tab li button { font-family: inherit; color: var(--ink); }
.swagger-ui .examples-select__section-label, .swagger-ui .examples__title, .swagger-ui .response-control-media-type__title, .swagger-ui .responses-inner h4, .swagger-ui .responses-inner h5 { font-family: inherit; color: var(--ink); }
.swagger-ui select, .swagger-ui input[type=text] { background-color: var(--paper); color: var(--ink); box-shadow: none; }
.swagger-ui .highlight-code > .microlight, .swagger-ui .opblock-body pre.microlight { border-radius: 8px; font-size: 12.5px; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui .dialog-ux .modal-ux { border-radius: 10px; }

@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 12px; }
  .swagger-ui .info .info__summary, .swagger-ui .info .info__summary p { font-size: 23px; }
  .swagger-ui .filter-container .filter, .swagger-ui .filter .operation-filter-input { width: 100%; max-width: none; }
  .swagger-ui .info { margin-top: 20px; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex-basis: 100%; padding: 4px 0 0; order: 3; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: nowrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; font-size: 13px; word-break: break-word; }
  .swagger-ui .opblock .opblock-summary-path-description-wrapper { flex-direction: column; align-items: flex-start; gap: 0; }
  .swagger-ui .opblock .opblock-summary-description { padding: 0; }
  .swagger-ui .parameters-col_name, .swagger-ui table.parameters td { display: block; width: 100%; padding: 4px 0; }
  .swagger-ui table.parameters thead { display: none; }
}
`;

/** As strong as swagger-ui's own rules for the dark, which come before these. */
export const TRY_STYLE = `html:root { background: var(--page); }${RULES.replaceAll('.swagger-ui', 'html:root .swagger-ui')}`;
