import { toManagedPreferences } from '../../config/render/managed-preferences.ts'
import { renderIntune, renderRegistry } from '../../config/render/registry.ts'
import type { Cli } from '../cli.ts'
import type { SourceShape } from '../document-options.ts'
import { describeSource, readSource } from '../read-source.ts'
import { tellFindings, unreadableStatus } from '../show-findings.ts'
import { writeAnswer } from './write-answer.ts'

const renderers = { reg: renderRegistry, intune: renderIntune } as const

/** The exports that change single values, and so can take them away again. */
export type UndoTarget = keyof typeof renderers

/** All of {@link UndoTarget}. */
export const undoTargets = Object.keys(renderers) as readonly UndoTarget[] // the keys of that very object

interface UndoTask {
  readonly source: string | undefined
  readonly shape?: SourceShape
  readonly to: UndoTarget
  readonly out?: string
}

/** Writes the file that removes what exports have set: every known key, and those that only the document names. */
export async function writeUndo(cli: Cli, { source, shape, to, out }: UndoTask): Promise<void> {
  const names = source === undefined ? [] : await readNames(cli, source, shape)
  if (!names) return cli.setExitStatus(unreadableStatus)
  await writeAnswer(cli.terminal, renderers[to]({}, names), {
    out,
    file: 'replaced',
    readers: 'as the system creates files',
  })
}

/** The names that an export of the document sets; `undefined` when it cannot be read, which is said. */
async function readNames(cli: Cli, source: string, shape: SourceShape | undefined): Promise<string[] | undefined> {
  const result = await readSource(cli, source, shape)
  const exported = toManagedPreferences(result)
  if (exported) return Object.keys(exported.entries)
  tellFindings(cli.terminal, describeSource(source), result.findings)
  return undefined
}
