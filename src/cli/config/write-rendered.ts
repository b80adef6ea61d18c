import type { Finding } from '../../config/finding.ts'
import type { ReadResult } from '../../config/read/document.ts'
import type { Cli } from '../cli.ts'
import type { SourceShape } from '../document-options.ts'
import { nameSource, readSource } from '../read-source.ts'
import { statusOf, tellFindings, unreadableStatus } from '../show-findings.ts'
import { writeAnswer } from './write-answer.ts'

/** What a document becomes, and what of it is not in there. */
export interface Rendered {
  readonly content: string | Uint8Array
  readonly findings: readonly Finding[]
}

/** How a command that renders a document ends, for its help text. */
export const renderedHelp =
  '\nWhat a client would not apply, or the result cannot hold, is named on standard error.\nExit status: 0, 1 if an error is among that, 2 if the document cannot be read.'

/** Reads a document and hands out what `render` makes of it, which is `undefined` for an unreadable one. */
export async function writeRendered<R extends Rendered>(
  { host, terminal, setExitStatus }: Cli,
  { source, shape, out }: { source: string; shape?: SourceShape; out?: string },
  render: (reading: ReadResult) => R | undefined,
): Promise<R | undefined> {
  const reading = await readSource({ host, terminal }, source, shape)
  const rendered = render(reading)
  const findings = [...reading.findings, ...(rendered?.findings ?? [])]
  if (rendered) await writeAnswer(terminal, rendered.content, { out, file: 'replaced' })
  tellFindings(terminal, nameSource(source), findings)
  setExitStatus(rendered ? statusOf(findings) : unreadableStatus)
  return rendered
}
