import { createHash } from 'node:crypto'
import { HelperError } from '../../../runtime/failure.ts'
import { escapeHtml } from '../../../runtime/text/escape.ts'
import type { SignedInPage, SignInNames, SignInOutcome } from './callback-listener.ts'

/**
 * The style of the last page. The contrast of every colour is at least 7:1 in light and in dark mode. The text follows the person's
 * font size and wraps on small screens. Forced colours take precedence.
 */
const pageStyle = [
  ':root{color-scheme:light dark;--ground:#fff;--page:#f3f4f6;--text:#1f2328;--good:#116329;--bad:#a40e26;--line:#d0d7de}',
  '@media(prefers-color-scheme:dark){:root{--ground:#1c2128;--page:#0d1117;--text:#e6edf3;--good:#56d364;--bad:#ff9a92;--line:#444c56}}',
  'body{margin:0;background:var(--page);color:var(--text);font:1.125rem/1.55 system-ui,sans-serif}',
  'main{box-sizing:border-box;max-width:40rem;margin:12vh auto;padding:2rem 2.5rem;background:var(--ground);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}',
  'h1{display:flex;align-items:center;gap:.75rem;margin:0 0 1rem;font-size:1.6rem;line-height:1.25}',
  'h2{margin:1.5rem 0 .25rem;font-size:1.125rem}',
  'p{margin:.5rem 0}',
  '.who{font-size:1.25rem;font-weight:600}',
  'code{font:.95em ui-monospace,monospace}',
  'svg{flex:none;width:2rem;height:2rem;fill:none;stroke:currentColor;stroke-width:3;stroke-linecap:round;stroke-linejoin:round}',
  '.good svg{color:var(--good)}',
  '.bad svg{color:var(--bad)}',
  '@media(max-width:45rem){main{margin:0;padding:1.5rem 1.25rem;min-height:100vh;border:0;border-radius:0}}',
].join('')

/** Renders the outcome for the tab: one page that loads nothing, and that suits screen readers and small screens. */
export function renderLastPage(outcome: SignInOutcome, names: SignInNames): string {
  if (!(outcome instanceof HelperError))
    return outcome.isElsewhere ? renderLatePage(outcome, names) : renderDone(outcome, names)
  return renderPage('bad', 'You are not signed in', [
    `<p>${toSentence(outcome.message)}</p>`,
    '<h2>What to do</h2>',
    `<p>${toSentence(outcome.hint)}</p>`,
    '<p>You can close this tab.</p>',
  ])
}

function renderDone({ account }: SignedInPage, { subject, purpose }: SignInNames): string {
  const as = account === undefined ? [] : [`<p class="who">as ${renderAccount(account)}</p>`]
  return renderPage('good', 'You are signed in', [
    ...as,
    `<p>${toSentence(`this was the sign-in to ${subject}`)}</p>`,
    ...(purpose === undefined ? [] : [`<p>${toSentence(`it is for ${purpose}`)}</p>`]),
    '<p>You can close this tab and go back to your work.</p>',
  ])
}

/**
 * Renders the page for an answer that came after another one had finished the sign-in, perhaps by and for somebody else.
 */
export function renderLatePage({ account }: SignedInPage, { subject }: SignInNames): string {
  const as = account === undefined ? '' : `, as <strong>${renderAccount(account)}</strong>`
  return renderPage('bad', 'This sign-in was finished elsewhere', [
    `<p>${renderText(`The sign-in to ${subject} was finished before this answer came`)}${as}. The answer is ignored.</p>`,
    '<h2>What to do</h2>',
    '<p>If it was you, here or in another tab or program, close this tab. Otherwise sign out, and sign in again.</p>',
  ])
}

/** `bdi` keeps a name in any script from changing the direction of the words beside it. */
function renderAccount(account: string): string {
  return `<bdi>${escapeHtml(account)}</bdi>`
}

/** Renders the page for an answer from a host that may not finish the sign-in, which goes on. */
export function renderForeignPage(host: string, { subject }: SignInNames): string {
  const from = host === '' ? 'an unknown address' : host
  return renderPage('bad', 'You are not signed in yet', [
    `<p>${toSentence(`the answer for the sign-in to ${subject} came from ${from}, which is not one of the provider's hosts`)}</p>`,
    '<h2>What to do</h2>',
    '<p>If you signed in there, ask your administrator to add that host to <code>additionalRedirectReferrerHosts</code>.</p>',
    '<p>If you did not expect this page, close it: the sign-in still waits in the tab where it began.</p>',
  ])
}

function renderPage(look: 'good' | 'bad', title: string, content: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
<main class="${look}">
<h1>${signs[look]}${title}</h1>
${content.join('\n')}
</main>
</body>
</html>
`
}

/** A tick and a cross. The words beside them say the same, so screen readers skip them. */
const signs = {
  good: '<svg aria-hidden="true" viewBox="0 0 24 24"><path d="M5 13l5 5 9-11"/></svg>',
  bad: '<svg aria-hidden="true" viewBox="0 0 24 24"><path d="M6 6l12 12M18 6L6 18"/></svg>',
} as const

/** Turns a message or a hint into a sentence. An address at its end gets no full stop, so that it can be copied; a name at its beginning stays as it is. */
function toSentence(text: string): string {
  const end = /[.!?:]$|:\/\/\S+$/.test(text) ? '' : '.'
  return renderText(text.replace(/^[a-z](?=[a-z]*[,.]?(\s|$))/, (letter) => letter.toUpperCase()) + end)
}

/** Escapes a text, and marks the commands in it. */
function renderText(text: string): string {
  const parts = text.split('`')
  if (parts.length % 2 === 0) return escapeHtml(text)
  return parts.map((part, at) => (at % 2 === 0 ? escapeHtml(part) : `<code>${escapeHtml(part)}</code>`)).join('')
}

const styleDigest = createHash('sha256').update(pageStyle).digest('base64')

/** The headers of every answer: nothing is cached or loaded, and no other page learns or shows the address, which holds the code. */
export const answerHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
} as const
