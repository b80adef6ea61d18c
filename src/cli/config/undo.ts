import { toManagedPreferences } from '../../config/render/managed-preferences.ts'
import type { Cli } from '../cli.ts'
import type { SourceShape } from '../document-options.ts'
import { describeSource, readSource } from '../read-source.ts'
import { tellFindings, unreadableStatus } from '../show-findings.ts'
import type { Content } from './exports/rendered.ts'
import { tellNeutralNames } from './neutral-names.ts'
import { writeAnswer } from './write-answer.ts'

interface UndoTask {
  readonly source: string | undefined
  readonly shape?: SourceShape
  readonly render: (names: readonly string[]) => Content
  readonly out?: string
}

/** Writes the file that removes what exports have set: every known key, and those that only the document names. */
export async function writeUndo(cli: Cli, { source, shape, render, out }: UndoTask): Promise<void> {
  const names = source === undefined ? [] : await readNames(cli, source, shape)
  if (!names) return cli.setExitStatus(unreadableStatus)
  await writeAnswer(cli.terminal, render(names), {
    out,
    file: 'replaced',
    readers: 'as the system creates files',
  })
  tellNeutralNames(cli.terminal)
}

/** The names that an export of the document sets; `undefined` when it cannot be read, which is said. */
async function readNames(cli: Cli, source: string, shape: SourceShape | undefined): Promise<string[] | undefined> {
  const result = await readSource(cli, source, shape)
  const exported = toManagedPreferences(result)
  if (exported) return Object.keys(exported.entries)
  tellFindings(cli.terminal, describeSource(source), result.findings)
  return undefined
}
