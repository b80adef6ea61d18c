import { wrapWords } from '../../../src/helper/run/help.ts'
import { version } from '../../../src/version.ts'

/** A term with its meaning, such as an option or a file. */
export interface Term {
  /** The term, with its placeholder after a space, as in `--region TEXT`. */
  readonly term: string
  /** One paragraph each. */
  readonly meaning: readonly string[]
}

/** A part of a manual page, below its own title. */
export interface ManualSection {
  readonly title: string
  readonly paragraphs?: readonly string[]
  readonly terms?: readonly Term[]
  /** Lines that stay as they are. */
  readonly example?: string
}

/** Renders a page of section 1 in man(7), which every `man` reads. */
export function renderManual(
  { name, summary }: { name: string; summary: string },
  sections: readonly ManualSection[],
  time: Date,
): string {
  const date = time.toISOString().slice(0, 10)
  return `.TH ${escapeText(name.toUpperCase())} 1 ${date} "Gatepass ${version}" "Gatepass"
.SH NAME
${escapeText(name)} \\- ${escapeText(summary)}
${sections.map(renderSection).join('')}`
}

function renderSection({ title, paragraphs = [], terms = [], example }: ManualSection): string {
  return [
    `.SH "${escapeText(title)}"\n`,
    paragraphs.map(renderLines).join('.PP\n'),
    ...terms.map(renderTerm),
    example === undefined
      ? ''
      : `${paragraphs.length > 0 ? '.PP\n' : ''}.nf\n${example.trim().split('\n').map(escapeLine).join('\n')}\n.fi\n`,
  ].join('')
}

function renderTerm({ term, meaning }: Term): string {
  const [, words = '', placeholder = ''] = /^([^\s,]+(?:, [^\s,]+)*)(.*)$/.exec(term) ?? []
  return `.TP\n\\fB${escapeText(words)}\\fR${escapeText(placeholder)}\n${meaning.map(renderLines).join('.br\n')}`
}

/** Wraps lines for readers of the source; the pager fills its own. */
function renderLines(paragraph: string): string {
  return `${wrapWords(paragraph, 72)
    .split('\n')
    .map((line) => escapeLine(line.trim()))
    .join('\n')}\n`
}

/** `man` would take a line with a leading dot or apostrophe for a request. */
function escapeLine(line: string): string {
  return escapeText(line).replace(/^(?=[.'])/, '\\&')
}

/** Escapes hyphens so that they are shown as typed, and an option can be copied. */
function escapeText(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq')
}
