import type { OperatingSystem } from '../../config/check/rule.ts'
import { compareReleases } from '../../config/define-field.ts'
import { externalIdpSince, fields } from '../../config/fields.ts'
import type { Finding } from '../../config/finding.ts'
import { kindField } from '../../config/read/deprecations.ts'
import { findForeignProvider } from '../../config/read/match-nested.ts'
import type { FieldValue } from '../../config/read/parse-fields.ts'
import type { ReadResult } from '../../config/read/read-document.ts'
import { outcomeStatus, renderHint, renderNotice } from '../../runtime/failure.ts'
import { programName } from '../../version.ts'
import { checkOnEverySystem, checkReadResult } from '../check-with-helper.ts'
import type { Cli } from '../cli.ts'
import { describeSource, readSource, type SourceShape } from '../read-source.ts'
import { tellFindings, toStatus, unreadableStatus } from '../show-findings.ts'
import type { Rendered } from './export-format.ts'
import { chooseReaders, writeAnswer } from './write-answer.ts'

/** The flag that sets {@link RenderTask.force}. */
export const forceOption = ['--force', `write it even with errors; the exit status stays ${outcomeStatus.no}`] as const

/** The exit statuses of a command that renders a document, for its help. */
export const renderedHelp = `\nWhat a client would not apply, or the result cannot hold, is reported on standard error.\nExit status: ${outcomeStatus.done}, ${outcomeStatus.no} with errors (nothing is written then, unless --force is given), ${outcomeStatus.usage} if the document cannot be read.`

/**
 * Reads a document, checks it for the readers of the result, and writes the result of `render`, which is `undefined` for an unreadable
 * document. Returns the written result.
 */
export async function writeRendered<R extends Rendered>(
  cli: Cli,
  task: RenderTask,
  render: (result: ReadResult) => R | undefined,
): Promise<R | undefined> {
  const result = await readSource(cli, task.source, task.shape)
  const { rendered, findings, status, isForeign } = await checkRendering(cli, result, task, render)
  const written = status === outcomeStatus.done || (task.force && !isForeign) ? rendered : undefined
  const readers = chooseReaders(result.document)
  if (written) await writeAnswer(cli.terminal, written.content, { out: task.out, file: 'replaced', readers })
  tellFindings(cli.terminal, describeSource(task.source), findings)
  if (rendered && !written) cli.terminal.tell(isForeign ? foreignRefusal : refusal)
  cli.setExitStatus(status)
  return written
}

/** A document to render, its readers and its destination. */
interface RenderTask extends Target {
  readonly source: string
  readonly shape?: SourceShape
  readonly out?: string
  /** Set to write the result despite errors; another provider's document is never written. */
  readonly force?: true
}

/** A document in another form, and whether it may be written. */
interface CheckedRendering<R extends Rendered> {
  readonly rendered: R | undefined
  readonly findings: readonly Finding[]
  readonly status: 0 | 1 | 2
  readonly isForeign: boolean
}

/** Renders a document, and checks it for the readers of the result. */
export async function checkRendering<R extends Rendered>(
  cli: Cli,
  result: ReadResult,
  target: Target,
  render: (result: ReadResult) => R | undefined,
): Promise<CheckedRendering<R>> {
  const rendered = render(result)
  const findings = [...(await checkTarget(cli, result, target)), ...(rendered?.findings ?? [])]
  const status = rendered ? toStatus(findings) : unreadableStatus
  return { rendered, findings, status, isForeign: findForeignProvider(result) !== undefined }
}

const refusal =
  renderNotice(programName, 'nothing was written, because of the errors') +
  renderHint(programName, 'correct the document, or pass --force to write it all the same')

/** The refusal of another provider's document, whose format is unknown here; the finding has the hint. */
const foreignRefusal = `${programName}: nothing was written: another provider's document has no other form here\n`

function checkTarget(cli: Cli, result: ReadResult, { os, clientVersion }: Target): Promise<Finding[]> {
  const options = { os, clientVersion }
  const written = toWritten(result, options)
  return os ? checkReadResult(cli, written, options, 'the document alone') : checkOnEverySystem(cli, written, options)
}

/**
 * Returns a document as its conversion will be read: on another system than the file's, and in the spelling of the client release. Paths
 * stay those of the file, which the person corrects.
 */
function toWritten(result: ReadResult, { os, clientVersion }: Target): ReadResult {
  const values = clientVersion === undefined ? result.values : toReleaseSpelling(result.values, clientVersion)
  // A registry file or a property list would be checked for its own system.
  return { ...result, values, ...(os && { container: 'json' }) }
}

/** The reader of a converted document. */
interface Target {
  /** If absent, every system for which the document names a helper. */
  readonly os?: OperatingSystem | undefined
  readonly clientVersion?: string | undefined
}

/** A client without the kind `external-idp` gets the rows of `interactive`; other clients get no deprecated spelling. */
function toReleaseSpelling(values: readonly FieldValue[], clientVersion: string): FieldValue[] {
  const isOld = compareReleases(clientVersion, externalIdpSince) < 0
  return values.map(({ spelledAs: _, ...value }) => {
    const old = isOld && (value.value === 'external-idp' ? kindField : findOldRow(value))
    return old ? { ...value, spelledAs: old } : value
  })
}

function findOldRow({ field }: FieldValue) {
  if (field.kind !== 'external-idp') return undefined
  return fields.find((other) => other.path === field.path && other.kind === 'interactive')
}
