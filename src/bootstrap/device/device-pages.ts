// The pages of a device sign-in: the entry of the code, the way to the provider, the confirmation, and the end.

import { escapeHtml } from '../../runtime/text/escape.ts'
import { createPageHeaders, renderPageStyle, renderSignInPage } from '../../runtime/text/sign-in-page.ts'
import { renderUserCode } from './device-grants.ts'

const style = renderPageStyle({
  light: '--link:#0a3d91;--warn:#7a3c00',
  dark: '--link:#a8caff;--warn:#ffc680',
  rules: [
    'a{color:var(--link)}',
    '.code{font:600 1.8rem/1.4 ui-monospace,monospace;letter-spacing:.08em}',
    '.warn{border-left:.3rem solid var(--warn);padding-left:1rem}',
    'input,button{font:inherit;padding:.4rem .8rem;margin:.25rem .5rem .25rem 0}',
  ],
})

/**
 * The headers of every page. `no-referrer` is not used, because browsers would then send `Origin: null` with our own forms (Fetch standard,
 * "append a request `Origin` header").
 */
export const pageHeaders = {
  ...createPageHeaders(style, "'self'"),
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'same-origin',
} as const

/** The line that tells people who did not start the sign-in to stop; the page shows the question next to it. */
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

/**
 * Renders the page that leads to the provider. It is a link, because the content security policy of a form also applies to the redirects
 * after it.
 */
export function renderLeavePage(address: string, userCode: string): string {
  return renderPage('Sign in to connect the app', [
    '<p>The app that shows this code will get your configuration:</p>',
    renderCode(userCode),
    `<p>You sign in at <strong>${escapeHtml(new URL(address).host)}</strong>.</p>`,
    `<p><a id="sign-in-there" href="${escapeHtml(address)}" rel="noreferrer">Sign in</a></p>`,
    warning,
  ])
}

interface Confirmation {
  readonly action: string
  readonly state: string
  readonly formToken: string
  readonly userCode: string
  readonly account: string | undefined
  /** The server for which the app gets a token. */
  readonly host: string
}

/** Renders the question whether the app may use the token. The app gets nothing before the person presses the button. */
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

/** Renders a page without further steps. */
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
  return renderSignInPage({ title, style, content })
}
