import type { Finding } from '../../config/finding.ts'
import type { ReadResult } from '../../config/read/document.ts'
import type { Cli } from '../cli.ts'
import type { SourceShape } from '../document-options.ts'
import { describeSource, readSource } from '../read-source.ts'
import { tellFindings, toStatus, unreadableStatus } from '../show-findings.ts'
import { writeAnswer } from './write-answer.ts'

/** A rendered document, and findings about what it does not hold. */
export interface Rendered {
  readonly content: string | Uint8Array
  readonly findings: readonly Finding[]
}

/** How a command that renders a document ends, for its help text. */
export const renderedHelp =
  '\nWhat a client would not apply, or the result cannot hold, is reported on standard error.\nExit status: 0, 1 if an error is among that, 2 if the document cannot be read.'

/** Reads a document and writes what `render` returns for it, which is `undefined` for an unreadable one. */
export async function writeRendered<R extends Rendered>(
  { host, terminal, setExitStatus }: Cli,
  { source, shape, out }: { source: string; shape?: SourceShape; out?: string },
  render: (result: ReadResult) => R | undefined,
): Promise<R | undefined> {
  const result = await readSource({ host, terminal }, source, shape)
  const rendered = render(result)
  const findings = [...result.findings, ...(rendered?.findings ?? [])]
  if (rendered) await writeAnswer(terminal, rendered.content, { out, file: 'replaced' })
  tellFindings(terminal, describeSource(source), findings)
  setExitStatus(rendered ? toStatus(findings) : unreadableStatus)
  return rendered
}
