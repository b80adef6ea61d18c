// Folder: finding credentials with the AWS SDK, in a process of its own, over our network.

import { isPromptAllowed } from '../../../contract/context.ts'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import { exitStatus, type FailureKind, HelperError } from '../../../runtime/failure.ts'
import { type Host, prepareOwnCommand } from '../../../runtime/host.ts'
import { credentialProcessVariable, listAskedProfiles } from '../../../runtime/program/credential-process-cycle.ts'
import { type Environment, type RunOutcome, runProcess } from '../../../runtime/run-process.ts'
import { Secret } from '../../../runtime/secret.ts'
import { toChildEnvironment, toSilentEnvironment } from '../../child-environment.ts'
import { toFailure } from '../request/request-failures.ts'
import type { SigningKeys } from '../request/signing-keys.ts'
import { type ChainAnswer, type ChainOrder, parseChainAnswer, sdkChainCommand } from './sdk-process-messages.ts'

/**
 * Lets the AWS SDK find credentials, in a process of its own. The SDK reads the environment, starts programs and waits without a limit, so
 * the process gets only the environment, the time and the terminal that are chosen here. Its requests go over our network, except those to
 * metadata services of this machine, which its libraries send themselves.
 * @throws {HelperError} `late`; a failure of the network; a refusal of AWS; or an error of the SDK.
 */
export async function fetchSdkCredentials(
  request: SdkRequest,
  { host, call }: { readonly host: Host; readonly call: NetworkCall },
): Promise<SdkCredentials> {
  const { program, args, argv0 } = prepareOwnCommand(host, [sdkChainCommand])
  const env = createEnvironment(request, host, call)
  const outcome = await call.deadline.during('program', 'the AWS SDK', ({ signal }) =>
    runProcess({
      command: { program, args, argv0 },
      input: JSON.stringify(createOrder(request, call)),
      isWhole: (stdout) => parseChainAnswer(new TextDecoder().decode(stdout)) !== undefined,
      env,
      signal,
    }),
  )
  return parseOutcome(outcome, request)
}

interface SdkRequest {
  /** See `ChainOrder`. */
  readonly profile: string | undefined
  readonly region: string
  /** The paths of both AWS files, as our own chain has found them. */
  readonly files: { readonly configPath: string; readonly credentialsPath: string }
  /** See `AwsContext`. */
  readonly path: string | undefined
  /** The hint for credentials that have expired, imperative. */
  readonly renewalHint: string
  /** Whether the credentials begin with a person's sign-in. */
  readonly isPersonal: boolean
  /** Whether the SDK may request instance metadata. */
  readonly mayBeInstance: boolean
}

/** The keys that the SDK has found. */
interface SdkCredentials extends SigningKeys {
  readonly expiration: Date | undefined
  readonly account: string | undefined
}

/**
 * Creates the environment of the process, in which our settings replace the SDK's own: the profile, the files, and whether this may be an
 * instance.
 */
function createEnvironment(
  { profile, files, path, mayBeInstance }: SdkRequest,
  { env, home, platform }: Host,
  { context, renews }: NetworkCall,
): Environment {
  const { AWS_PROFILE: _, AWS_DEFAULT_PROFILE: _old, ...child } = toChildEnvironment(env)
  const isSilent = renews !== undefined || !isPromptAllowed(context)
  return {
    ...(isSilent ? toSilentEnvironment(child) : child),
    [platform === 'win32' ? 'USERPROFILE' : 'HOME']: home,
    AWS_CONFIG_FILE: files.configPath,
    AWS_SHARED_CREDENTIALS_FILE: files.credentialsPath,
    ...(profile !== undefined && { AWS_PROFILE: profile }),
    ...(path !== undefined && { PATH: path }),
    ...(!mayBeInstance && { AWS_EC2_METADATA_DISABLED: 'true' }),
    [credentialProcessVariable]: [...listAskedProfiles(env), ...(profile === undefined ? [] : [profile])].join('\n'),
  }
}

function createOrder({ profile, region }: SdkRequest, { deadline, network }: NetworkCall): ChainOrder {
  const { proxy, ...settings } = network
  return {
    profile,
    region,
    limitMs: deadline.remainingMs() + 1000,
    network: { ...settings, proxy: proxy && { url: proxy.url.reveal(), origin: proxy.origin } },
  }
}

function parseOutcome(outcome: RunOutcome, request: SdkRequest): SdkCredentials {
  const stdout = outcome.ended === 'exited' ? new TextDecoder().decode(outcome.stdout) : ''
  const answer = parseChainAnswer(stdout)
  if (answer === undefined) {
    const end = outcome.ended === 'exited' ? `it ended with ${outcome.status}` : `it was ${outcome.ended}`
    throw new HelperError(
      'unavailable',
      `the process in which the AWS SDK runs gave no answer: ${end}`,
      'try again; if it stays so, set aws-chain to own',
    )
  }
  if (answer.state !== 'found') throw toSdkFailure(answer, request)
  const { accessKeyId, secretAccessKey, sessionToken, expiresAt, account, clockOffsetMs } = answer
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: sessionToken === undefined ? undefined : new Secret(sessionToken),
    expiration: expiresAt === undefined ? undefined : new Date(expiresAt),
    account,
    clockOffsetMs,
  }
}

function toSdkFailure(answer: Exclude<ChainAnswer, { state: 'found' }>, request: SdkRequest): HelperError {
  const { renewalHint, isPersonal } = request
  const owner = describeRequest(request)
  switch (answer.state) {
    case 'hindered':
      return new HelperError(toKind(answer.kind), answer.message, answer.hint)
    case 'refused':
      return toFailure(
        { name: answer.code, $metadata: { httpStatusCode: answer.status } },
        {
          service: 'AWS',
          refusal: `AWS refused the AWS SDK, which asked for the credentials of ${owner}`,
          hint: renewalHint,
          proof: { name: 'what it was asked with', renewalHint },
        },
      )
    case 'none':
      return new HelperError(
        answer.program === 'failed' ? 'refused' : isPersonal || answer.program ? 'sign-in-required' : 'not-configured',
        `the AWS SDK found no credentials for ${owner}: ${answer.reason}`,
        renewalHint,
      )
  }
}

/** Describes the credentials in messages. */
function describeRequest({ profile }: SdkRequest): string {
  return profile === undefined ? 'its default chain' : `profile "${profile}"`
}

function toKind(text: string): FailureKind {
  return Object.hasOwn(exitStatus, text) ? (text as FailureKind) : 'unavailable' // the type's keys
}
