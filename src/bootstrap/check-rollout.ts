import type { OperatingSystem } from '../config/check/rule.ts'
import type { ConfigDocument } from '../config/document.ts'
import { hasSecret } from '../config/document-values.ts'
import type { Finding } from '../config/finding.ts'
import { parseDocument, type ReadResult } from '../config/read/read-document.ts'
import { isCredentialHeader } from '../runtime/text/credential-text.ts'
import { joinPath, locateFindings } from '../runtime/values/position.ts'
import { type BuiltDocument, buildDocuments } from './build-documents.ts'
import { compareRelease, type ReleaseChange } from './compare-release.ts'
import { type Origin, toOrigins } from './merge-patch.ts'
import type { LoadedRelease } from './open-release.ts'
import { listPersonalValues, validatePersonalValues } from './personal-values.ts'
import type { RolloutSource } from './read-rollout.ts'
import { releaseLimits } from './release.ts'
import { createRolloutFinding, type Rollout, type RolloutFinding, rolloutFile } from './rollout.ts'
import { validateGroups } from './validate-groups.ts'

/** The findings about a rollout, and the documents that would be published. */
export interface CheckedRollout {
  readonly findings: readonly RolloutFinding[]
  /** Empty if the folder cannot be read or has too many combinations. */
  readonly documents: readonly BuiltDocument[]
  /** The differences between the documents and those of the live release; `undefined` without a live release. */
  readonly changes: readonly ReleaseChange[] | undefined
}

/** The live release and the policy, if they are known. */
export interface RolloutContext {
  readonly live?: LoadedRelease | undefined
  /** The issuers whose JWTs a rule of the policy lets pass, and `aws` if a rule lets AWS identities pass. */
  readonly issuers?: readonly string[] | undefined
}

/** Checks every possible document for every client in use, and the groups that decide who gets which document. */
export async function checkRollout(
  source: RolloutSource,
  check: CheckForClient,
  { live, issuers }: RolloutContext = {},
): Promise<CheckedRollout> {
  const { rollout } = source
  if (!rollout) return { findings: source.findings, documents: [], changes: undefined }
  const { documents, findings: ofBuilding } = buildDocuments({ ...source, rollout })
  const ofGroups = validateGroups({ ...source, rollout }, documents, issuers)
  const ofDocuments = await checkDocuments(documents, rollout, check)
  const changes = live && documents.length > 0 ? compareRelease(documents, live) : undefined
  const located = locateFindings([...ofBuilding, ...ofGroups], source.positions)
  const ofChanges = changes?.flatMap((change) => reportChange(change, documents)) ?? []
  return { findings: [...source.findings, ...located, ...ofDocuments, ...ofChanges], documents, changes }
}

/** A finding, and the combinations that it concerns. */
interface Concern {
  readonly finding: RolloutFinding
  readonly documents: Set<BuiltDocument>
  readonly clients: Set<string>
}

/** Checks a document for one client and system, like the command `config check`. */
type CheckForClient = (
  result: ReadResult,
  client: { readonly clientVersion?: string | undefined; readonly os: OperatingSystem },
) => Promise<readonly Finding[]>

async function checkDocuments(
  documents: readonly BuiltDocument[],
  { clients, served }: Rollout,
  check: CheckForClient,
): Promise<RolloutFinding[]> {
  const targets = clients.flatMap(({ release, systems }) => systems.map((os) => ({ os, clientVersion: release })))
  const concerns = new Map<string, Concern>()
  for (const same of Map.groupBy(documents, ({ digest }) => digest).values()) {
    const [built] = same as [BuiltDocument]
    const result = parseBuilt(built, served)
    for (const target of targets) {
      const isFilledIn = result.document !== undefined && isReference(result.document)
      const found = (await check(result, target)).filter(({ code }) => !isFilledIn || code !== 'placeholder-key')
      for (const finding of found) addConcern(concerns, finding, { same, client: describeClient(target) })
    }
    for (const finding of validateRelease(built, result)) addConcern(concerns, finding, { same, client: undefined })
  }
  return [...concerns.values()].map((concern) => describeConcern(concern, documents, targets.length))
}

/** Parses a document as a client does; the findings name the files of the rollout. */
function parseBuilt(built: BuiltDocument, served: Rollout['served']): ReadResult {
  const bytes = Buffer.from(built.text)
  const result = parseDocument(bytes, {
    shape: 'nested',
    served: served ?? { url: 'https://unknown.invalid', authentication: 'external-idp' },
  })
  const origins = toOrigins(built.tree)
  const findings = result.findings.map(({ line, column, ...finding }) => finding)
  return { ...result, positions: origins, findings: locateFindings(findings, origins) }
}

interface Concerned {
  readonly same: readonly BuiltDocument[]
  readonly client: string | undefined
}

/** The codes that another finding replaces here: people are asked for consent only to changes. */
const otherCodes = ['consent-asked']

function addConcern(concerns: Map<string, Concern>, finding: Finding<string>, { same, client }: Concerned): void {
  if (otherCodes.includes(finding.code)) return
  // A place in a file is an Origin, which the positions of a built document are.
  const located: RolloutFinding = { file: rolloutFile, ...finding }
  const key = JSON.stringify([located.file, located.line, located.path, located.code, located.message, located.hint])
  const concern = concerns.get(key) ?? { finding: located, documents: new Set(), clients: new Set() }
  for (const document of same) concern.documents.add(document)
  if (client !== undefined) concern.clients.add(client)
  concerns.set(key, concern)
}

/** Returns whether every secret comes from a file or a keychain of the server. */
function isReference(document: ConfigDocument): boolean {
  const others = JSON.parse(JSON.stringify(document), (_, value) => (isFilledInWhole(value) ? undefined : value))
  return hasSecret(document) && !hasSecret(others)
}

function isFilledInWhole(value: unknown): boolean {
  return typeof value === 'string' && /^(Bearer )?\{secret\.[^{}]+\}$/.test(value)
}

function describeClient({ clientVersion, os }: Parameters<CheckForClient>[1]): string {
  return clientVersion === undefined ? `on ${os}` : `client ${clientVersion} on ${os}`
}

/** Finds values that a release must not contain. */
function validateRelease({ tree, text }: BuiltDocument, { document }: ReadResult): RolloutFinding[] {
  const origins = toOrigins(tree)
  const at = (path: string) => ({ path, ...(origins.get(path) ?? { file: rolloutFile }) })
  const header = findSecretHeader(document)
  const secret = createRolloutFinding(
    'secret-in-release',
    at(header ?? 'inference.credential.apiKey'),
    'it is a secret, which everybody could read who can read the release',
    header === undefined
      ? 'use another kind of credential, which gives every person one of their own; or write {secret.NAME} in its place, and give the server the secret with --secret'
      : 'remove it; a credential comes from inference.credential',
  )
  const expiry = createRolloutFinding(
    'expiry-written',
    at('expiresAt'),
    'it is left out of the release, because the server sets it in each answer',
    'remove it',
  )
  const length = createRolloutFinding(
    'document-too-long',
    { file: rolloutFile, path: '' },
    `the document is longer than ${releaseLimits.documentBytes / 1024 / 1024} MiB, which no answer may be`,
    'remove what is not needed',
  )
  const personal = validatePersonalValues(listPersonalValues(JSON.parse(text))).map(({ path, problem }) =>
    createRolloutFinding('personal-value-wrong', at(path), problem, 'correct the value, or move the claim to a header'),
  )
  return [
    ...personal,
    ...(document && hasSecret(document) && !isReference(document) ? [secret] : []),
    ...(origins.has('expiresAt') ? [expiry] : []),
    ...(Buffer.byteLength(text) > releaseLimits.documentBytes ? [length] : []),
  ]
}

/** Finds the path of the first header with a secret that the server does not fill in. */
function findSecretHeader(document: ConfigDocument | undefined): string | undefined {
  const headers = Object.entries(document?.inference?.customHeaders ?? {})
  const found = headers.find(([name, value]) => isCredentialHeader(name, value) && !isFilledInWhole(value))
  return found && joinPath('inference.customHeaders', found[0])
}

function describeConcern(
  { finding, documents, clients }: Concern,
  all: readonly BuiltDocument[],
  clientCount: number,
): RolloutFinding {
  const people = describePeople(
    [...documents].map(({ groups }) => groups),
    all.map(({ groups }) => groups),
  )
  const [first, ...others] = clients
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  const client = first === undefined || clients.size === clientCount ? '' : `${first}${more}`
  const whom = [people, client].filter(Boolean).join(', ')
  return whom === '' ? finding : { ...finding, message: `${finding.message} (${whom})` }
}

/** Describes the people in some combinations; empty if they are everybody. */
export function describePeople(some: readonly (readonly string[])[], all: readonly (readonly string[])[]): string {
  if (some.length === all.length) return ''
  const [first = []] = some
  const common = first.filter((name) => some.every((groups) => groups.includes(name)))
  const isAll = all.filter((groups) => common.every((name) => groups.includes(name))).length === some.length
  if (isAll && common.length > 0) return `everybody in ${common.join(' and ')}`
  const named = first.length === 0 ? 'people in no group' : `people in ${first.join(' and ')} alone`
  return some.length === 1 ? named : `${named}, and ${some.length - 1} more combination${some.length === 2 ? '' : 's'}`
}

function reportChange(
  { kind, path, consent, combinations }: ReleaseChange,
  documents: readonly BuiltDocument[],
): RolloutFinding[] {
  const people =
    describePeople(
      combinations,
      documents.map(({ groups }) => groups),
    ) || 'everybody'
  const position = { path, ...(findOrigin(path, combinations, documents) ?? { file: rolloutFile }) }
  const asked: RolloutFinding = {
    ...position,
    code: 'consent-asked',
    severity: 'info',
    hint: 'tell these people before you release it, so that they expect the question',
    message: `people are asked to agree before this takes effect (${people})`,
  }
  const lost = createRolloutFinding(
    'field-lost',
    position,
    `the live release has this, and this one does not (${people})`,
    'a field that is left out is unset; write it again if that is not meant',
  )
  const gained = createRolloutFinding(
    'field-gained',
    position,
    `the live release does not have this (${people})`,
    'remove the field if that is not meant',
  )
  return [
    ...(kind === 'lost' ? [lost] : []),
    ...(kind === 'gained' ? [gained] : []),
    ...(consent === 'asked' ? [asked] : []),
  ]
}

function findOrigin(
  path: string,
  combinations: ReleaseChange['combinations'],
  documents: readonly BuiltDocument[],
): Origin | undefined {
  const built = documents.find(({ groups }) => groups === combinations[0])
  return built && toOrigins(built.tree).get(path)
}
