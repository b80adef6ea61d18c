import { hash } from 'node:crypto'
import { escapeHtml } from '../../runtime/text/escape.ts'
import { renderUserCode } from './device-grants.ts'

/** The contrast of every colour is at least 7:1 in light and in dark mode. */
const pageStyle = [
  ':root{color-scheme:light dark;--ground:#fff;--page:#f3f4f6;--text:#1f2328;--link:#0a3d91;--line:#d0d7de;--warn:#7a3c00}',
  '@media(prefers-color-scheme:dark){:root{--ground:#1c2128;--page:#0d1117;--text:#e6edf3;--link:#a8caff;--line:#444c56;--warn:#ffc680}}',
  'body{margin:0;background:var(--page);color:var(--text);font:1.125rem/1.55 system-ui,sans-serif}',
  'main{box-sizing:border-box;max-width:40rem;margin:12vh auto;padding:2rem 2.5rem;background:var(--ground);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}',
  'h1{margin:0 0 1rem;font-size:1.6rem;line-height:1.25}',
  'a{color:var(--link)}',
  '.code{font:600 1.8rem/1.4 ui-monospace,monospace;letter-spacing:.08em}',
  '.warn{border-left:.3rem solid var(--warn);padding-left:1rem}',
  'input,button{font:inherit;padding:.4rem .8rem;margin:.25rem .5rem .25rem 0}',
  '@media(max-width:45rem){main{margin:0;padding:1.5rem 1.25rem;min-height:100vh;border:0;border-radius:0}}',
].join('')

const styleDigest = hash('sha256', pageStyle, 'base64')

/**
 * The headers of every page: nothing is loaded or cached, no other page shows it or learns its address, and forms go to this server alone.
 * With `no-referrer`, browsers would send `Origin: null` with our own forms (Fetch standard, "append a request `Origin` header").
 */
export const pageHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** Where a person who did not begin this should stop; what is asked stands beside it. */
const warning =
  '<p class="warn">Go on only if you started this yourself, just now, in the app on your own computer. If somebody sent you the code or the address of this page, close it: whoever started the app would get your access.</p>'

/** Renders the page that asks for the code of the app. */
export function renderEntryPage(action: string, code: string, problem?: string): string {
  return renderPage('Connect an app', [
    ...(problem === undefined ? [] : [`<p id="problem" role="alert">${escapeHtml(problem)}</p>`]),
    '<p>Enter the code that the app shows. You sign in to your organization on the next page.</p>',
    `<form method="post" action="${escapeHtml(action)}"><label>Code <input id="code" name="user_code" value="${escapeHtml(code)}" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="40" required></label><button id="go-on">Continue</button></form>`,
    warning,
  ])
}

/** Renders the page that leads to the provider. A link, because a policy for forms would count for every page to which a form leads. */
export function renderLeavePage(address: string, userCode: string): string {
  return renderPage('Sign in to connect the app', [
    '<p>The app that shows this code will get your configuration:</p>',
    renderCode(userCode),
    `<p>You sign in at <strong>${escapeHtml(new URL(address).host)}</strong>.</p>`,
    `<p><a id="sign-in-there" href="${escapeHtml(address)}" rel="noreferrer">Sign in</a></p>`,
    warning,
  ])
}

/** The facts that the last question names. */
interface Confirmation {
  readonly action: string
  readonly state: string
  readonly formToken: string
  readonly userCode: string
  readonly account: string | undefined
  /** The server for which the app gets a token. */
  readonly host: string
}

/** Renders the question whether the app may have the token. Nothing is given to it before somebody presses the button. */
export function renderConfirmPage({ action, state, formToken, userCode, account, host }: Confirmation): string {
  const as = account === undefined ? '' : ` as <strong><bdi>${escapeHtml(account)}</bdi></strong>`
  return renderPage('Allow this app?', [
    `<p>You are signed in${as}. The app that shows this code will be signed in${as} at <strong>${escapeHtml(host)}</strong>, and gets your configuration:</p>`,
    renderCode(userCode),
    '<p>Compare the code with the one in the app.</p>',
    `<form method="post" action="${escapeHtml(action)}"><input type="hidden" name="state" value="${escapeHtml(state)}"><input type="hidden" name="form_token" value="${escapeHtml(formToken)}"><button id="allow" name="choice" value="allow">The codes are the same: allow</button><button id="deny" name="choice" value="deny">Deny</button></form>`,
    warning,
  ])
}

/** Renders a page on which nothing is left to do. */
export function renderEndPage(title: string, ...sentences: readonly string[]): string {
  return renderPage(
    title,
    sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`),
  )
}

function renderCode(userCode: string): string {
  return `<p class="code" id="shown-code">${renderUserCode(userCode)}</p>`
}

function renderPage(title: string, content: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content.join('\n')}
</main>
</body>
</html>
`
}
