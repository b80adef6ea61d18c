import type { ConfigDocument } from '../../../config/document.ts'
import { readDocument } from '../../../config/read/document.ts'
import { renderNested } from '../../../config/render/shapes.ts'
import { toOneLine } from '../../../runtime/failure.ts'
import { checkOnEverySystem } from '../../check-read-result.ts'
import type { Cli } from '../../cli.ts'

/** What is wrong with one field of a document, by the rules of the check; findings about other fields do not count. */
export async function findFieldProblem(cli: Cli, document: ConfigDocument, path: string): Promise<string | undefined> {
  const findings = await checkOnEverySystem(cli, readDocument(Buffer.from(renderNested(document))))
  const problem = findings.find((row) => row.path === path && row.severity === 'error')
  return problem && toOneLine(`${problem.message}; ${problem.hint}`)
}
