import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { parsePrincipal } from '../../../contract/aws/caller-identity.ts'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { DiagnosisLine } from '../../../helper/diagnosis.ts'
import { readIfPresent } from '../../../runtime/disk.ts'
import { type FailureKind, HelperError, toHelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { regionVariables } from '../credentials/aws-options.ts'
import type { AwsCredentials, AwsPlan } from '../credentials/credential-source.ts'
import { fetchAwsCredentials } from '../credentials/credentials.ts'
import { type AwsFiles, findSection, type Section } from '../files/aws-files.ts'
import { describeOrigin, locateSetting } from '../files/locate-setting.ts'
import { roleDurationSec } from '../files/profile-settings.ts'
import { callerRefusal } from '../request/fetch-caller.ts'
import { toFailure } from '../request/request-failures.ts'
import { type RequestContext, type SigningKeys, toSdkKeys, withProfileAuthority } from '../request/signing-keys.ts'
import { resolveEndpoint } from '../resolve-endpoint.ts'
import { RequestHandler } from '../sdk-chain/request-handler.ts'

/** The inputs for resolving a profile with the other chain. */
export interface OtherWay {
  readonly host: Host
  readonly call: NetworkCall
  /** See `AwsContext`. */
  readonly path: string | undefined
  readonly profile: string | undefined
  /** The plan, with the source of the other chain. */
  readonly plan: AwsPlan
}

/**
 * Returns the plan with the other chain: the AWS SDK's instead of our own, or our own instead of the SDK's; `undefined` if our own chain
 * cannot be used.
 */
export function toOtherPlan(plan: AwsPlan, profile: string | undefined): AwsPlan | undefined {
  const { source } = plan
  if (source.kind !== 'sdk')
    return { ...plan, source: { kind: 'sdk', profile, reason: 'as a second opinion', own: source } }
  return source.own && { ...plan, source: source.own }
}

/** The result of the chain that the run used. */
interface FirstOpinion {
  readonly outcome: AwsCredentials | HelperError
  /** See `AwsCredentials`. */
  readonly arn: string | undefined
}

/**
 * Resolves a profile with the other chain too, and reports whether account, role and access key ID agree, which caller AWS STS names for
 * the other chain, and which settings make the difference.
 */
export async function compareChains({ outcome, arn }: FirstOpinion, other: OtherWay): Promise<DiagnosisLine[]> {
  if (outcome instanceof HelperError && hindrances.includes(outcome.kind)) return []
  const { host, plan, profile } = other
  const chain = plan.source.kind === 'sdk' ? 'sdk' : 'own'
  const name = names[chain]
  const second = await fetchOpinion(other).catch(toHelperError)
  if (second instanceof HelperError && outcome instanceof HelperError)
    return [{ status: 'unknown', text: `second opinion: ${name} fails as well: ${second.message}` }]
  if (second instanceof HelperError && hindrances.includes(second.kind))
    return [{ status: 'unknown', text: `second opinion: it is not known what ${name} gives: ${second.message}` }]
  const differing = await listDifferingSettings(profile ?? 'default', plan.files, host.env)
  const details = differing.length > 0 ? differing : ['no setting is known that would explain it']
  if (second instanceof HelperError)
    return [{ status: 'note', text: `second opinion: ${name} gives no credentials: ${second.message}`, details }]
  if (outcome instanceof HelperError) {
    const text = `second opinion: ${name} gives credentials that belong to ${second.arn}, as AWS STS says; aws-chain = ${chain} uses them`
    return [{ status: 'note', text, details }]
  }
  return [describeBoth({ keys: outcome, arn }, second, { name, details })]
}

/** The kinds of failure that the other chain would have too, after the same wait. */
const hindrances: readonly FailureKind[] = ['unavailable', 'late', 'sign-in-required']

/** The names of the two chains in messages. */
const names = { own: "this program's own chain", sdk: "the AWS SDK's chain" } as const

interface Opinion {
  readonly keys: AwsCredentials
  readonly arn: string
}

async function fetchOpinion(other: OtherWay): Promise<Opinion> {
  const context = withProfileAuthority(other)
  const keys = await fetchAwsCredentials(context)
  return { keys, arn: await askSts(keys, context) }
}

/**
 * The intended differences between our own chain and the AWS SDK, by their names in docs/aws.md, with the setting of a profile that shows
 * each.
 */
export const differences: Readonly<Record<string, (profile: ChainProfile) => string | undefined>> = {
  'a circle of `source_profile`s with keys in it': ({ section: { source_profile }, name, via }) =>
    source_profile !== undefined && source_profile !== name && via.includes(source_profile)
      ? 'source_profile'
      : undefined,
  '`credential_source` without `role_arn`': ({ section: { credential_source, role_arn }, via }) =>
    credential_source && !role_arn && via.length === 0 ? 'credential_source' : undefined,
  'the case of `credential_source`': ({ section: { credential_source: name } }) =>
    name &&
    !documentedSources.includes(name) &&
    documentedSources.some((each) => each.toLowerCase() === name.toLowerCase())
      ? 'credential_source'
      : undefined,
  [`\`duration_seconds\` outside of ${roleDurationSec.shortest} to ${roleDurationSec.longest}`]: ({
    section: { duration_seconds: text },
  }) =>
    text !== undefined && !(Number(text) >= roleDurationSec.shortest && Number(text) <= roleDurationSec.longest)
      ? 'duration_seconds'
      : undefined,
  '`AWS_REGION` beside the `region` of a role': ({ section: { region, role_arn }, env }) =>
    role_arn && region && (regionVariables.map((name) => env[name]).find(Boolean) ?? region) !== region
      ? 'region'
      : undefined,
  '`sts_regional_endpoints = legacy`': ({ section }) =>
    section.sts_regional_endpoints === 'legacy' ? 'sts_regional_endpoints' : undefined,
}

const documentedSources: readonly string[] = ['Environment', 'EcsContainer', 'Ec2InstanceMetadata']

/** Lists the settings of a profile and of those that it names by which our own chain and the AWS SDK differ, with their locations. */
async function listDifferingSettings(profile: string, files: AwsFiles, env: Environment): Promise<readonly string[]> {
  const chain = listProfiles(profile, files, env)
  const settings = chain.flatMap((each) =>
    Object.entries(differences).flatMap(([what, find]) => {
      const key = find(each)
      return key === undefined ? [] : [describeSetting(key, each.name, files, what)]
    }),
  )
  return [...settings, ...(await listCapitals(chain, files))]
}

function describeBoth(
  first: Pick<Opinion, 'keys'> & { readonly arn: string | undefined },
  second: Opinion,
  { name, details }: { readonly name: string; readonly details: readonly string[] },
): DiagnosisLine {
  const [ours, theirs] = [toFacts(first.arn), toFacts(second.arn)]
  const given = `second opinion: AWS STS says that the credentials of ${name} belong to ${second.arn}`
  if (ours === undefined || theirs === undefined)
    return { status: 'unknown', text: `${given}, which cannot be compared: the caller is not known` }
  const differing = (['account', 'role', 'user'] as const).filter((fact) => ours[fact] !== theirs[fact])
  const isSameKey = first.keys.accessKeyId === second.keys.accessKeyId
  // Two sessions of one identity have different keys.
  const isSession = second.keys.sessionToken !== undefined && first.keys.sessionToken !== undefined
  if (differing.length > 0 || !(isSameKey || isSession))
    return {
      status: 'bad',
      text: `${given}: another ${differing.length > 0 ? differing.join(' and another ') : 'access key'}`,
      details,
      hint: 'correct the setting that the line above names, or say with aws-chain whose answer counts',
    }
  return {
    status: 'good',
    text: `${given}: account and ${ours.role === undefined ? 'user' : 'role'} agree, ${isSameKey ? 'and so does the access key id' : 'and each is a session with an access key of its own'}`,
  }
}

/** Selects the parts of an ARN that are the same for every session of a role. */
function toFacts(arn: string | undefined) {
  if (arn === undefined) return undefined
  const { account, role } = parsePrincipal(arn)
  return { account, role, user: role === undefined ? arn : undefined }
}

/** A profile of a chain, for {@link differences}. */
interface ChainProfile {
  readonly name: string
  readonly section: Section
  /** The profiles that led here by `source_profile`, the first one first. */
  readonly via: readonly string[]
  readonly env: Environment
}

function listProfiles(name: string, files: AwsFiles, env: Environment, via: readonly string[] = []): ChainProfile[] {
  const section = findSection(files.profiles, name)
  if (!section || via.includes(name)) return []
  const { source_profile: next } = section
  return [{ name, section, env, via }, ...(next === undefined ? [] : listProfiles(next, files, env, [...via, name]))]
}

/** Lists settings with capital letters. The SDK reads their names as written; our own chain and the AWS CLI convert them to lower case. */
async function listCapitals(chain: readonly ChainProfile[], files: AwsFiles): Promise<string[]> {
  const texts = new Map<string, string[]>()
  for (const path of [files.configPath, files.credentialsPath])
    texts.set(path, ((await readIfPresent(path)) ?? '').split('\n'))
  return chain.flatMap(({ name, section }) =>
    Object.keys(section).flatMap((key) => {
      const at = locateSetting(files, { kind: 'profile', name }, key)
      const written = at && texts.get(at.path)?.[at.line - 1]?.split('=')[0]?.trim()
      return written === undefined || written === key || key.includes('.')
        ? []
        : [describeSetting(key, name, files, 'a key in capitals')]
    }),
  )
}

function describeSetting(key: string, profile: string, files: AwsFiles, what: string): string {
  const origin = describeOrigin(files, { kind: 'profile', name: profile }, key)
  return `${key} of profile "${profile}"${origin}: ${what.replaceAll('`', '')}`
}

/** Asks AWS STS through its own client whose keys these are. @returns the ARN of the caller. @throws {HelperError} */
async function askSts(
  keys: SigningKeys,
  { host, call: { deadline, network }, plan: { region, endpoints } }: RequestContext,
): Promise<string> {
  const requestHandler = new RequestHandler(network, host.clock)
  const endpoint = resolveEndpoint({ service: 'sts', region }, endpoints)
  const client = new STSClient({
    credentials: toSdkKeys(keys),
    region: endpoint.region,
    endpoint: endpoint.url.href,
    maxAttempts: 3,
    requestHandler,
  })
  try {
    const { Arn = '' } = await deadline.during('network', 'AWS STS', ({ signal }) =>
      client.send(new GetCallerIdentityCommand({}), { abortSignal: signal }),
    )
    return Arn
  } catch (error) {
    throw toFailure(requestHandler.failure ?? error, {
      service: 'AWS STS',
      refusal: callerRefusal,
      hint: 'have the policies of this identity allow sts:GetCallerIdentity',
      proof: { name: 'the credentials', renewalHint: 'sign in again, or set current keys' },
    })
  }
}
