import { hash } from 'node:crypto'
import { escapeHtml } from './escape.ts'

/**
 * Renders the style of the pages that a person sees during a sign-in. The text follows the person's font size and wraps on small screens.
 * Forced colours take precedence.
 */
export function renderPageStyle({ light, dark, rules }: PageLook): string {
  return [
    `:root{color-scheme:light dark;--ground:#fff;--page:#f3f4f6;--text:#1f2328;--line:#d0d7de;${light}}`,
    `@media(prefers-color-scheme:dark){:root{--ground:#1c2128;--page:#0d1117;--text:#e6edf3;--line:#444c56;${dark}}}`,
    'body{margin:0;background:var(--page);color:var(--text);font:1.125rem/1.55 system-ui,sans-serif}',
    'main{box-sizing:border-box;max-width:40rem;margin:12vh auto;padding:2rem 2.5rem;background:var(--ground);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}',
    'h1{margin:0 0 1rem;font-size:1.6rem;line-height:1.25}',
    ...rules,
    '@media(max-width:45rem){main{margin:0;padding:1.5rem 1.25rem;min-height:100vh;border:0;border-radius:0}}',
  ].join('')
}

/** The colours of one kind of page, and the rules that use them; they are added to the style that all pages of a sign-in share. */
interface PageLook {
  /** Custom properties in light and in dark mode. The contrast of every colour to the ground is at least 7:1. */
  readonly light: string
  readonly dark: string
  readonly rules: readonly string[]
}

interface PageContent {
  readonly title: string
  readonly style: string
  /** HTML with every foreign text escaped. */
  readonly content: readonly string[]
  /** The class of the content, and HTML before its heading. */
  readonly mark?: { readonly name: string; readonly sign: string }
}

/** Renders a page of a sign-in, which loads nothing and suits screen readers. */
export function renderSignInPage({ title, style, content, mark }: PageContent): string {
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
<main${mark ? ` class="${mark.name}"` : ''}>
<h1>${mark?.sign ?? ''}${escapeHtml(title)}</h1>
${content.join('\n')}
</main>
</body>
</html>
`
}

/** The headers of every page of ours: it is not cached, and no other page shares anything with it. */
export const unsharedHeaders = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/**
 * Creates the headers of a page: it is not cached and loads nothing, no other page can frame it, and its forms go to this server or
 * nowhere.
 */
export function createPageHeaders(style: string, formAction: "'self'" | "'none'") {
  const digest = hash('sha256', style, 'base64')
  return {
    ...unsharedHeaders,
    'content-security-policy': `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
  } as const
}
