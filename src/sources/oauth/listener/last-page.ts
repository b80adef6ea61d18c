import { createHash } from 'node:crypto'
import { escapeHtml } from '../../../runtime/escape-html.ts'
import type { SignInOutcome } from './callback-listener.ts'

/** What the tab shows at the end: one page that loads nothing, for screen readers and small screens too. */
export function renderLastPage(outcome: SignInOutcome, subject: string): string {
  const [title, ...texts] =
    outcome === 'signed-in'
      ? ['You are signed in', `This was the sign-in to ${subject}.`, 'You can close this tab and go back to your work.']
      : ['You are not signed in', `${outcome.message}.`, `What to do: ${outcome.hint}.`]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
</main>
</body>
</html>
`
}

/** Colours are the browser's own, which follow the person's light or dark setting. */
const style =
  'body{font:1.1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:36rem;padding:0 1rem}h1{font-size:1.6rem}'

const styleDigest = createHash('sha256').update(style).digest('base64')

/** What goes with every answer: nothing is kept, nothing is loaded, no other page learns or shows the address, in which the code is. */
export const answerHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
} as const
