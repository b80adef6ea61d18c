import { createHash } from 'node:crypto'
import { escapeHtml } from '../../../runtime/escape-html.ts'
import type { SignInOutcome } from './callback-listener.ts'
import { pageStyle } from './page-style.ts'

/** What the tab shows at the end: one page that loads nothing, for screen readers and small screens too. */
export function renderLastPage(outcome: SignInOutcome, subject: string): string {
  if (outcome === 'signed-in')
    return renderPage('good', 'You are signed in', [
      `<p>${toSentence(`this was the sign-in to ${subject}`)}</p>`,
      '<p>You can close this tab and go back to your work.</p>',
    ])
  return renderPage('bad', 'You are not signed in', [
    `<p>${toSentence(outcome.message)}</p>`,
    '<h2>What to do</h2>',
    `<p>${toSentence(outcome.hint)}</p>`,
    '<p>You can close this tab.</p>',
  ])
}

/** What a tab shows that comes from a host which may not end the sign-in, while that goes on. */
export function renderForeignPage(host: string, subject: string): string {
  const from = host === '' ? 'an unknown address' : host
  return renderPage('bad', 'You are not signed in yet', [
    `<p>${toSentence(`the answer for the sign-in to ${subject} came from ${from}, which is none of the provider's hosts`)}</p>`,
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

/** A tick and a cross. The words beside them say the same, so that a screen reader leaves them out. */
const signs = {
  good: '<svg aria-hidden="true" viewBox="0 0 24 24"><path d="M5 13l5 5 9-11"/></svg>',
  bad: '<svg aria-hidden="true" viewBox="0 0 24 24"><path d="M6 6l12 12M18 6L6 18"/></svg>',
} as const

/** A message or a hint as a sentence of a page. An address at its end is copied without a full stop; a name at its beginning stays as it is. */
function toSentence(text: string): string {
  const end = /[.!?:]$|:\/\/\S+$/.test(text) ? '' : '.'
  return renderText(text.replace(/^[a-z](?=[a-z]*[,.]?(\s|$))/, (letter) => letter.toUpperCase()) + end)
}

/** Escapes a text, and sets apart the commands in it. */
function renderText(text: string): string {
  const parts = text.split('`')
  if (parts.length % 2 === 0) return escapeHtml(text)
  return parts.map((part, at) => (at % 2 === 0 ? escapeHtml(part) : `<code>${escapeHtml(part)}</code>`)).join('')
}

const styleDigest = createHash('sha256').update(pageStyle).digest('base64')

/** What goes with every answer: nothing is kept, nothing is loaded, no other page learns or shows the address, in which the code is. */
export const answerHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
} as const
