/** The page's style: colors of the app's theme, light and dark, from 360 px. */
export const OPENAPI_PAGE_STYLE = `
:root { color-scheme: light dark; --page: #f6f8fb; --card: #fff; --text: #1a2333; --muted: #556074; --line: #e0e5ed; --link: #1b4b94; --ok: #17704a; --warn: #8a5a00; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --page: #0c1118; --card: #131a24; --text: #e2e7ef; --muted: #98a4b6; --line: #263040; --link: #8cb6ff; --ok: #5cc88f; --warn: #e3b04b; --bad: #ff9088 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere }
header, main { max-width: 60rem; margin: 0 auto; padding: 1rem }
h1, h2, h3 { line-height: 1.25; margin: 0 }
h2 { font-size: 1.25rem; margin: 2rem 0 .25rem }
h3 { font-size: 1rem; margin: 1rem 0 .25rem }
p { margin: .5rem 0; max-width: 45rem }
a { color: var(--link) }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; list-style: none; margin: 0; padding: 0 }
nav a { display: inline-flex; align-items: center; min-height: 2.75rem; min-width: 2.75rem }
code, pre { font: .875em/1.5 ui-monospace, Menlo, Consolas, monospace }
pre { background: var(--page); border: 1px solid var(--line); border-radius: .25rem; padding: .75rem; margin: .5rem 0; white-space: pre-wrap }
details { background: var(--card); border: 1px solid var(--line); border-radius: .25rem; margin: .5rem 0 }
summary { cursor: pointer; min-height: 2.75rem; padding: .625rem .75rem }
summary:focus-visible, a:focus-visible { outline: 3px solid var(--link); outline-offset: 1px }
summary span { color: var(--muted) }
summary b { display: inline-block; min-width: 4rem; font-size: .875rem }
.get { color: var(--link) } .post { color: var(--ok) } .put { color: var(--warn) } .delete { color: var(--bad) }
.call { padding: 0 .75rem .75rem; scroll-margin-top: 4rem }
.fields { list-style: none; margin: .25rem 0; padding: 0 }
.fields li { border-top: 1px solid var(--line); padding: .375rem 0 }
.fields .fields { margin-left: 1rem }
.kind, .who { color: var(--muted) }
@media print { details::details-content { content-visibility: visible } }
`;
