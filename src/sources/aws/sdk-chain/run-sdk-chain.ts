import { fromIni, fromNodeProviderChain } from '@aws-sdk/credential-providers'
import { exitStatus, HelperError, renderFailure, toOneLine } from '../../../runtime/failure.ts'
import { endProcess, type Host } from '../../../runtime/host.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import { Secret } from '../../../runtime/secret.ts'
import { redact } from '../../../runtime/text/redact.ts'
import { RequestHandler } from './request-handler.ts'
import { type ChainAnswer, type ChainOrder, parseOrder, sdkChainCommand } from './sdk-process-messages.ts'

/** Runs the process in which the AWS SDK finds credentials: reads an order on stdin, writes the answer to stdout and ends. */
export async function runSdkChain(program: string, { clock, streams }: Host): Promise<void> {
  const order =
    streams.attached() === 'terminal'
      ? undefined
      : parseOrder((await streams.stdin(longestOrderBytes, () => false)).toString())
  if (order === undefined) {
    streams.stderr(renderFailure(program, createRefusal(program)))
    await streams.flush()
    return endProcess(exitStatus.usage, 'finished')
  }
  setTimeout(() => endProcess(exitStatus.late, 'abandoned'), order.limitMs).unref()
  await streams.stdout(JSON.stringify(await answerOrder(order, clock)))
  endProcess(0, 'finished')
}

/** The longest order, in bytes: far longer than any that a helper sends. Our decision. */
const longestOrderBytes = 1024 * 1024

/** Creates the failure for a person who types the command. */
function createRefusal(program: string): HelperError {
  return new HelperError(
    'usage',
    `${sdkChainCommand} is not for people: with it ${program} starts itself, to have the AWS SDK find credentials`,
    `see what there is: ${program} --help`,
  )
}

/** Finds credentials with the SDK, which reads any variable. This process has only those that its parent chose. */
async function answerOrder({ profile, region, network }: ChainOrder, clock: Host['clock']): Promise<ChainAnswer> {
  const requestHandler = new RequestHandler(toNetworkSettings(network), clock)
  // Some of its providers take our network from the first option, others from the second.
  const parentClientConfig = { requestHandler, region: async () => region, ...(profile !== undefined && { profile }) }
  const init = { clientConfig: { requestHandler, maxAttempts: 3 }, parentClientConfig }
  try {
    // No `mfaCodeProvider`: a profile that needs a code fails, and nobody is asked.
    const provide = profile === undefined ? fromNodeProviderChain(init) : fromIni({ ...init, profile })
    const { accessKeyId, secretAccessKey, sessionToken, expiration, accountId } = await provide()
    const { clockOffsetMs } = requestHandler
    const expiresAt = expiration?.getTime()
    return { state: 'found', accessKeyId, secretAccessKey, sessionToken, expiresAt, account: accountId, clockOffsetMs }
  } catch (error) {
    return toChainFailure(error, requestHandler)
  }
}

function toNetworkSettings({ proxy, noProxy, authorities, systemFiles, verification }: ChainOrder['network']) {
  return {
    noProxy,
    authorities,
    verification,
    proxy: proxy && { url: new Secret(proxy.url), origin: proxy.origin },
    systemFiles: { file: systemFiles.file, directory: systemFiles.directory },
  } satisfies NetworkSettings
}

function toChainFailure(error: unknown, { failure }: RequestHandler): ChainAnswer {
  if (failure) return { state: 'hindered', kind: failure.kind, message: failure.message, hint: failure.hint }
  const { name, message, $metadata } = error as {
    name: string
    message: string
    $metadata?: { httpStatusCode?: number }
  }
  const status = $metadata?.httpStatusCode
  return status === undefined
    ? { state: 'none', reason: describeReason(message), program: findProgramEnd(message) }
    : { state: 'refused', code: name, status }
}

/**
 * Describes an error of the SDK. The message about a failed program is replaced, because it repeats the program's command line and stderr,
 * which may hold a secret.
 */
function describeReason(message: string): string {
  if (/^Command failed/.test(message)) return 'its credential_process failed'
  return redact(toOneLine(message), []).slice(0, 300)
}

/** Finds how a `credential_process` ended, by the words of `@aws-sdk/credential-provider-process`; `undefined` for another error. */
function findProgramEnd(message: string): 'failed' | 'expired' | undefined {
  if (/ credential_process returned expired credentials/.test(message)) return 'expired'
  return /^Command failed| credential_process (did not return Version 1|returned invalid )/.test(message)
    ? 'failed'
    : undefined
}
