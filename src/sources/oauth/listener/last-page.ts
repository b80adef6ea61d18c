// The pages that the browser shows when it comes back from the provider.

import { HelperError } from '../../../runtime/failure.ts'
import { escapeHtml } from '../../../runtime/text/escape.ts'
import { createPageHeaders, renderPageStyle, renderSignInPage } from '../../../runtime/text/sign-in-page.ts'
import type { SignedInPage, SignInNames, SignInOutcome } from './callback.ts'

const style = renderPageStyle({
  light: '--good:#116329;--bad:#a40e26',
  dark: '--good:#56d364;--bad:#ff9a92',
  rules: [
    'h1{display:flex;align-items:center;gap:.75rem}',
    'h2{margin:1.5rem 0 .25rem;font-size:1.125rem}',
    'p{margin:.5rem 0}',
    '.who{font-size:1.25rem;font-weight:600}',
    'code{font:.95em ui-monospace,monospace}',
    'svg{flex:none;width:2rem;height:2rem;fill:none;stroke:currentColor;stroke-width:3;stroke-linecap:round;stroke-linejoin:round}',
    '.good svg{color:var(--good)}',
    '.bad svg{color:var(--bad)}',
  ],
})

/** Renders the outcome as a page that loads nothing, and that suits screen readers and small screens. */
export function renderLastPage(outcome: SignInOutcome, names: SignInNames): string {
  if (!(outcome instanceof HelperError))
    return outcome.isElsewhere ? renderLatePage(outcome, names) : renderDone(outcome, names)
  return renderPage('bad', 'You are not signed in', [
    `<p>${toSentence(outcome.message)}</p>`,
    nextHeading,
    `<p>${toSentence(outcome.hint)}</p>`,
    '<p>You can close this tab.</p>',
  ])
}

const nextHeading = '<h2>What to do</h2>'

function renderDone({ account }: SignedInPage, { subject, purpose }: SignInNames): string {
  const as = account === undefined ? [] : [`<p class="who">as ${renderAccount(account)}</p>`]
  return renderPage('good', 'You are signed in', [
    ...as,
    `<p>${toSentence(`this was the sign-in to ${subject}`)}</p>`,
    ...(purpose === undefined ? [] : [`<p>${toSentence(`it is for ${purpose}`)}</p>`]),
    '<p>You can close this tab and go back to your work.</p>',
  ])
}

/** Renders the page for an answer that came after the sign-in was finished, perhaps by and for somebody else. */
export function renderLatePage({ account }: SignedInPage, { subject }: SignInNames): string {
  const as = account === undefined ? '' : `, as <strong>${renderAccount(account)}</strong>`
  return renderPage('bad', 'This sign-in was finished elsewhere', [
    `<p>${renderText(`The sign-in to ${subject} was finished before this answer came`)}${as}. The answer is ignored.</p>`,
    nextHeading,
    '<p>If it was you, here or in another tab or program, close this tab. Otherwise sign out, and sign in again.</p>',
  ])
}

/** Renders an account in `bdi`, so that a name in any script does not change the direction of the words beside it. */
function renderAccount(account: string): string {
  return `<bdi>${escapeHtml(account)}</bdi>`
}

/** Renders the page for an answer from a host that may not finish the sign-in, which goes on. */
export function renderForeignPage(host: string, { subject }: SignInNames): string {
  const from = host === '' ? 'an unknown address' : host
  return renderPage('bad', 'You are not signed in yet', [
    `<p>${toSentence(`the answer for the sign-in to ${subject} came from ${from}, which is not one of the provider's hosts`)}</p>`,
    nextHeading,
    '<p>If you signed in there, ask your administrator to add that host to <code>additionalRedirectReferrerHosts</code>.</p>',
    '<p>If you did not expect this page, close it: the sign-in still waits in the tab where it began.</p>',
  ])
}

function renderPage(look: 'good' | 'bad', title: string, content: readonly string[]): string {
  return renderSignInPage({ title, style, content, mark: { name: look, sign: signs[look] } })
}

/** A tick and a cross, which screen readers skip, because the words beside them have the same meaning. */
const signs = {
  good: '<svg aria-hidden="true" viewBox="0 0 24 24"><path d="M5 13l5 5 9-11"/></svg>',
  bad: '<svg aria-hidden="true" viewBox="0 0 24 24"><path d="M6 6l12 12M18 6L6 18"/></svg>',
} as const

/**
 * Turns a message or a hint into a sentence. An address at its end gets no full stop, so that it can be copied; a name at its beginning
 * keeps its case.
 */
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

/** The headers of every answer, so that no other page gets the address, which holds the code. */
export const answerHeaders = {
  ...createPageHeaders(style, "'none'"),
  'referrer-policy': 'no-referrer',
  connection: 'close',
} as const
