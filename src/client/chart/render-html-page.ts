import { toSha256 } from '../../runtime/digest.ts'
import { escapeHtml } from '../../runtime/escape-html.ts'
import { frameStyle } from './frame-style.ts'

/** A page of its own: what is in it is written out, and nothing is loaded. */
export interface HtmlPage {
  readonly title: string
  /** The command that made it, such as `gatepass simulate`. */
  readonly command: string
  /** What the page's own parts look like, beside {@link frameStyle}. */
  readonly style: string
  readonly script: string
  /** HTML, in which every foreign text is escaped. */
  readonly body: string
}

/**
 * One page without external resources. Its policy forbids a browser to load any, and names its one style and its one script by
 * their digests: a text that came to stand in it as a tag or an attribute would still run nothing.
 */
export function renderHtmlPage({ title, command, style, script, body }: HtmlPage): string {
  const whole = `${frameStyle}${style}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${toSource(whole)}; script-src ${toSource(script)}; img-src data:; base-uri 'none'; form-action 'none'">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)} · ${command}</title>
<style>${whole}</style>
</head>
<body>
${body}
<script>${script}</script>
</body>
</html>
`
}

/** A source of a Content Security Policy that is this text and no other (CSP level 3, section 2.3.1). */
function toSource(text: string): string {
  return `'sha256-${Buffer.from(toSha256(text), 'hex').toString('base64')}'`
}
