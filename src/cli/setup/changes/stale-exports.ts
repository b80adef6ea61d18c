import { basename, dirname } from 'node:path'
import { renderHint, renderWarning } from '../../../runtime/failure.ts'
import { quoteForHint } from '../../../runtime/text/quote.ts'
import { programName } from '../../../version.ts'
import type { Cli } from '../../cli.ts'
import type { SetupAnswers } from '../answers.ts'
import { documentPath, isWrittenFolder, readKept, windowsDocumentPath } from '../folder.ts'
import { planForClient } from '../plan-for-client.ts'
import { compareFolder, readOwnTexts } from './compare-folder.ts'

/** Lists the exports that differ from the folder's document, because either was changed since the last run. */
export async function listStale(cli: Cli, directory: string, answers: SetupAnswers): Promise<string[]> {
  const ownTexts = await readOwnTexts(directory, answers, { take: [] })
  const { files } = await planForClient(cli, answers, ownTexts)
  const changes = await compareFolder(directory, files, { keep: [], take: [] })
  // An unreadable document has no exports, and those of the folder would be removed.
  return changes
    .filter(({ kind, isExport }) => (isExport && kind !== 'same') || kind === 'removed')
    .map(({ path }) => path)
}

/** Warns about exports that differ from the document, and names the command that generates them again. */
export function tellStale({ terminal }: Cli, directory: string, stale: readonly string[], document: string): void {
  if (stale.length === 0) return
  terminal.tell(
    renderWarning(programName, `people would get something else than ${document}: ${stale.join(', ')}`) +
      renderHint(
        programName,
        `make these files from the document again: ${programName} setup ${quoteForHint(directory)} --write`,
      ),
  )
}

/** Warns a person who has saved a document of a setup folder, because people get its exports. */
export async function tellStaleExports(cli: Cli, path: string): Promise<void> {
  const [directory, name] = [dirname(path), basename(path)]
  const isDocument = name === documentPath || name === windowsDocumentPath
  if (!isDocument || !(await isWrittenFolder(directory))) return
  tellStale(cli, directory, await listStale(cli, directory, await readKept(directory)), 'the saved document')
}
