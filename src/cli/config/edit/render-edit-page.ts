import { markScript, renderHtmlPage, wideScript } from '../../../client/page/render-html-page.ts'
import { drawingStyle } from '../../../client/page/render-simulation-page.ts'
import { programName } from '../../../version.ts'
import { bundlePageScript } from './page-script.ts'

/**
 * Renders the page without the document, which its script loads.
 * @param name The name of the file.
 */
export async function renderEditPage(name: string): Promise<string> {
  const script = `globalThis.enableCharts = () => {${wideScript}${markScript}}\n${await bundlePageScript()}`
  return renderHtmlPage({
    title: name,
    command: `${programName} config edit`,
    style: `${drawingStyle}${editStyle}`,
    script,
    body: '<div id="editor"><p>Loading …</p></div><noscript>This page needs scripts.</noscript>',
    connects: 'own origin',
  })
}

const editStyle = `
body { padding: 0 24px 48px; }
h2 { font-size: 18px; margin: 32px 0 8px; } h3 { font-size: 15px; margin: 24px 0 4px; }
h2, .field, fieldset { scroll-margin-top: 88px; } h1 bdi { overflow-wrap: anywhere; }
[hidden] { display: none !important; }
.bar { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; padding: 12px 0;
  background: var(--paper); border-bottom: 1px solid var(--rule); }
.bar h1 { flex: 1 1 12em; margin: 0; font-size: 18px; } .bar .state { display: block; font-size: 13px; font-weight: 400; color: var(--quiet); }
.actions { display: flex; flex-wrap: wrap; gap: 8px; }
button, .button, input, select, textarea { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--quiet); border-radius: 6px;
  padding: 6px 10px; min-height: 36px; box-sizing: border-box; max-width: 100%; }
button, .button { cursor: pointer; background: var(--panel); text-decoration: none; display: inline-block; }
button:hover:not(:disabled), .button:hover { border-color: var(--ink); } button:disabled { opacity: .55; cursor: default; }
button.main { background: var(--neutral); border-color: var(--neutral); color: var(--paper); font-weight: 600; }
button.small { min-height: 28px; padding: 2px 8px; font-size: 13px; }
code, textarea, input.mono { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere; }
input:not([type=checkbox], [type=file], [type=radio]), select, textarea { width: 100%; }
:focus-visible { outline: 3px solid var(--neutral); outline-offset: 2px; }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none; margin: 12px 0; padding: 0; } a { color: var(--neutral); }
.options { display: flex; flex-wrap: wrap; gap: 12px 20px; margin: 8px 0 16px; } .options > label, .options > div { flex: 1 1 220px; max-width: 420px; }
label > span { display: block; font-size: 13px; color: var(--quiet); margin-bottom: 2px; }
fieldset { border: 1px solid var(--rule); border-radius: 8px; margin: 16px 0; padding: 4px 16px 12px; min-width: 0; }
legend { font-weight: 600; padding: 0 6px; overflow-wrap: anywhere; }
.field { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 4px 24px; padding: 12px 0; border-top: 1px solid var(--rule); }
.field:first-of-type { border-top: 0; }
.field .words p { margin: 2px 0; font-size: 13px; } .field .name { font-weight: 600; } .field .meaning { color: var(--ink); font-size: 14px; }
.field .tools { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin-top: 6px; }
.set > .words .name::after { content: ' · set'; font-size: 13px; font-weight: 400; color: var(--quiet); }
.tag { display: inline-block; font-size: 12px; border: 1px solid var(--rule); border-radius: 10px; padding: 0 8px; color: var(--quiet); }
fieldset.rows { display: grid; gap: 6px; border: 0; margin: 0; padding: 0; } .rows > div { display: flex; gap: 6px; align-items: start; } .rows input { flex: 1 1 0; min-width: 0; }
.findings { list-style: none; margin: 8px 0 0; padding: 0; } .findings li { border-left: 4px solid var(--neutral); padding: 4px 10px; margin: 4px 0;
  background: var(--panel); font-size: 14px; overflow-wrap: anywhere; }
.findings .error { border-color: var(--bad); } .findings .warning { border-color: var(--caution); }
.findings strong { margin-right: 4px; } .findings p { margin: 0; font-size: 13px; }
.notice { border: 1px solid var(--caution); border-left-width: 6px; border-radius: 6px; padding: 10px 14px; margin: 12px 0; overflow-wrap: anywhere; }
.notice p { margin: 0 0 8px; color: var(--ink); } .notice .actions { margin-top: 8px; }
.headline { font-size: 20px; } textarea { min-height: 22em; resize: vertical; white-space: pre; overflow-x: auto; }
.content { min-height: 0; height: 22em; background: var(--panel); margin: 4px 0 12px; }
.difference { margin: 0 0 12px; padding: 8px 12px; background: var(--panel); border-radius: 6px; overflow-wrap: anywhere; } .difference dd, .difference dt { font-size: 14px; color: var(--ink); margin: 0; }
.difference dl { display: block; margin: 4px 0 0; } .difference dt { display: inline; color: var(--quiet); } .difference dd { display: inline; } .difference dl > div { margin: 2px 0; }
.status { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 700px) { body { padding: 0 14px 32px; } .field { grid-template-columns: minmax(0, 1fr); } .bar { position: static; } fieldset { padding: 4px 10px 10px; } }
`
