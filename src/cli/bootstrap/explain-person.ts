import { type Command, InvalidArgumentError, Option } from 'commander'
import { type BuiltDocument, buildDocuments, findDocument } from '../../bootstrap/build-documents.ts'
import { hideSecret, toLeaves } from '../../bootstrap/compare-release.ts'
import { type Origin, toOrigins } from '../../bootstrap/merge-patch.ts'
import { toLoadedGroup } from '../../bootstrap/open-release.ts'
import { listPersonalValues, secretPrefix, withPersonalValues } from '../../bootstrap/personal-values.ts'
import { readRollout } from '../../bootstrap/read-rollout.ts'
import type { Rollout } from '../../bootstrap/rollout.ts'
import {
  findSubject,
  type Member,
  type Selection,
  selectDocument,
  selectGroups,
} from '../../bootstrap/select-document.ts'
import { setIn } from '../../config/set-in.ts'
import { HelperError, outcomeStatus, toOneLine } from '../../runtime/failure.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { parseClaimPath } from '../../runtime/tokens/claim-path.ts'
import { type RawObject, renderJson } from '../../runtime/values/json-value.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import { jsonOption } from '../terminal.ts'
import {
  addReleaseOptions,
  findRelease,
  type ReleaseFlags,
  rolloutArgument,
  toFolderFailure,
  unreadableHelp,
} from './check.ts'

/** Adds `gatepass bootstrap explain`: the document of one person, and the reasons. */
export function addBootstrapExplain(bootstrap: Command, cli: Cli): void {
  addReleaseOptions(
    bootstrap
      .command('explain')
      .description('say what one person gets, value by value, from which file, and in which wave')
      .argument(...rolloutArgument)
      .requiredOption('--subject <text>', 'the person, as the claim that rollout.json names in "subject" has them')
      .addOption(
        new Option('--claim <name=value>', 'a claim of the person; more than once for several, or for a list')
          .default([], 'none')
          .argParser(addClaim),
      )
      .option('--issuer <issuer>', 'the issuer of the person’s tokens, or aws for an AWS identity'),
  )
    .option(...jsonOption)
    .addHelpText(
      'after',
      `\nExit status: ${outcomeStatus.done}, ${outcomeStatus.no} if the person gets no document, ${unreadableHelp}.`,
    )
    .action(async (folder: string, flags: ExplainFlags) => {
      const explained = await collectExplanation(folder, flags)
      cli.setExitStatus(
        explained.values === undefined || explained.refusal !== undefined ? outcomeStatus.no : outcomeStatus.done,
      )
      const { selection, ...shown } = explained
      cli.terminal.print(
        flags.json ? renderJson({ ...shown, release: toReleaseJson(selection) }) : renderText(explained, folder, flags),
      )
    })
}

interface ExplainedValue {
  readonly path: string
  readonly value: unknown
  /** Absent if the folder gives the person another value. */
  readonly origin?: Origin
}

interface Explained {
  readonly subject: string
  readonly groups: readonly string[]
  /** The digest of the document. */
  readonly document: string | undefined
  readonly values: readonly ExplainedValue[] | undefined
  /** Why the server cannot fill in the document for this person, who then gets no document. */
  readonly refusal?: string
  /** The release and the document that are served now; `undefined` without a release folder. */
  readonly selection: Selection | undefined
  /** Whether the folder's document is the served one. */
  readonly isSame: boolean
}

interface ExplainFlags extends ReleaseFlags {
  readonly subject: string
  readonly claim: readonly GivenClaim[]
  readonly issuer?: string
  readonly json?: true
}

function addClaim(text: string, before: readonly GivenClaim[]): GivenClaim[] {
  const [, name = '', value] = /^((?:\[[^\]]*\]|[^=[\]])+)=(.*)$/s.exec(text) ?? []
  const path = parseClaimPath(name)
  if (!path || value === undefined)
    throw new InvalidArgumentError('expected a claim and its value, such as groups=engineering.')
  return [...before, { names: path.names, value }]
}

/** @throws {HelperError} `usage` if the folder gives no document. */
async function collectExplanation(folder: string, flags: ExplainFlags): Promise<Explained> {
  const open = await findRelease(flags)
  const source = await readRollout(folder)
  const { rollout } = source
  const { documents } = rollout ? buildDocuments({ ...source, rollout }) : { documents: [] }
  if (!rollout || documents.length === 0) throw toFolderFailure(folder)
  const member = toMember(flags, rollout)
  const memberGroups = selectGroups(
    rollout.groups.map(({ overlays, ...group }) => toLoadedGroup(group)),
    member,
  )
  const built = findDocument(
    documents,
    memberGroups.map(({ name }) => name),
  )
  const selection = open && selectDocument(open, member)
  const served = selection?.outcome === 'document' ? selection : undefined
  const groups = served?.groups ?? built?.groups ?? memberGroups.map(({ name }) => name).toSorted()
  const value = selection ? served?.document.value : built && (JSON.parse(built.text) as RawObject)
  const document = selection ? served?.document.digest : built?.digest
  const values = value && listValues(value, built)
  const refusal = value && findRefusal(value, member)
  const isSame = document === built?.digest
  return { subject: flags.subject, groups, document, values, ...(refusal && { refusal }), selection, isSame }
}

function toMember({ subject, claim, issuer }: ExplainFlags, rollout: Rollout): Member {
  if (issuer === 'aws')
    return {
      kind: 'aws-identity',
      issuer: '',
      subject,
      claims: toClaims([...claim, { names: ['arn'], value: subject }]),
    }
  const names = parseClaimPath(rollout.subject)?.names ?? [rollout.subject]
  const claims = toClaims([...claim, { names, value: subject }])
  const member: Member = { kind: 'jwt', issuer: issuer ?? '', subject, claims }
  if (findSubject(rollout.subject, member) !== undefined) return member
  throw new HelperError('usage', 'the subject cannot be a claim', 'pass a text that is not empty')
}

interface GivenClaim {
  readonly names: readonly string[]
  readonly value: string
}

function listValues(value: RawObject, built: BuiltDocument | undefined): ExplainedValue[] {
  const origins = built ? toOrigins(built.tree) : new Map<string, Origin>()
  const present = toLeaves(built ? (JSON.parse(built.text) as RawObject) : {})
  return [...toLeaves(value)].map(([path, leaf]) => {
    const isSame = JSON.stringify(present.get(path)?.value) === JSON.stringify(leaf.value)
    const origin = isSame ? origins.get(path) : undefined
    return { path, value: hideSecret(leaf), ...(origin && { origin }) }
  })
}

/**
 * Returns why the claims of a person do not fill in a document, or `undefined` if they do. Secrets count as present, because only the
 * server has them.
 */
function findRefusal(document: RawObject, { claims }: Member): string | undefined {
  const personal = listPersonalValues(document)
  const names = personal.flatMap(({ facts }) => facts).filter((fact) => fact.startsWith(secretPrefix))
  const secrets = new Map(names.map((fact) => [fact.slice(secretPrefix.length), 'secret']))
  try {
    withPersonalValues(document, personal, { claims, secrets })
    return undefined
  } catch (error) {
    if (error instanceof HelperError) return error.message
    throw error
  }
}

/** Returns the claims as in a token: a claim that is given several times becomes a list. */
function toClaims(given: readonly GivenClaim[]): RawObject {
  const claims: Record<string, unknown> = {}
  for (const [, rows] of Map.groupBy(given, ({ names }) => JSON.stringify(names))) {
    const values = rows.map(({ value }) => value)
    setIn(claims, rows[0]!.names, values.length === 1 ? values[0] : values)
  }
  return claims
}

function toReleaseJson(selection: Selection | undefined) {
  if (!selection) return undefined
  const { counter, id } = selection.release.manifest
  if (selection.outcome === 'nothing') return { release: counter, id, reason: selection.reason }
  return { release: counter, id, wave: selection.wave, why: selection.why }
}

function renderText(explained: Explained, folder: string, flags: ReleaseFlags): string {
  const { subject, groups, document, values, refusal, selection, isSame } = explained
  const lines = [
    `${toOneLine(subject)} is in ${groups.length === 0 ? 'no group' : groups.join(', ')}.`,
    ...(selection ? [describeSelection(selection)] : []),
    ...(refusal === undefined ? [] : [`This person gets no document: ${toOneLine(refusal)}.`]),
    ...(document === undefined ? [] : [`Document ${document.slice(0, 12)}:`]),
    ...(values ?? []).map((row) => `  ${row.path}: ${JSON.stringify(row.value)}  ${describeOrigin(row)}`),
    ...(values === undefined && !selection ? [describeNothing(groups)] : []),
    ...(selection && !isSame
      ? [`${folder} as it is now gives this person another document; see: ${renderDiffCommand(folder, flags)}`]
      : []),
  ]
  return `${lines.join('\n')}\n`
}

function describeSelection(selection: Selection): string {
  const { counter } = selection.release.manifest
  if (selection.outcome === 'nothing')
    return {
      'no-subject': 'This person gets no document: the token names nobody.',
      'not-entitled': `This person gets no document: release ${counter} gives others nothing.`,
      'unknown-combination': `This person gets no document: release ${counter} knows nobody who is in these groups together.`,
    }[selection.reason]
  const { why, wave } = selection
  return {
    everybody: `Release ${counter} is served to everybody.`,
    pilot: `Release ${counter} is served: this person is in its pilot.`,
    wave: `Release ${counter} is served: it has reached wave ${wave}, in which this person is.`,
    'not-yet': `Release ${counter} is served: this person is in wave ${wave} of the release after it, which has not been reached.`,
    halted: `Release ${counter} is served: this person is in wave ${wave} of the release after it, which was halted before.`,
  }[why]
}

function describeOrigin({ origin }: ExplainedValue): string {
  return origin ? `(${origin.file} line ${origin.line})` : '(not in the folder as it is now)'
}

function describeNothing(groups: readonly string[]): string {
  return groups.length === 0
    ? 'This person gets no document, because rollout.json gives others nothing.'
    : 'This person gets no document: by "singleValued" and the choices in rollout.json, nobody is in these groups together.'
}

function renderDiffCommand(folder: string, { release = '', publicKey = '' }: ReleaseFlags): string {
  const [rollout, releases, keys] = [folder, release, publicKey].map((path) => quoteForHint(path))
  return `${programName} bootstrap diff ${rollout} --release ${releases} --public-key ${keys}`
}
