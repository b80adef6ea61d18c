import { launch } from '../../../client/launch/launch.ts'
import { resolveLaunch } from '../../../client/launch/launch-command.ts'
import { describeEnd } from '../../../client/launch/run-credential-helper.ts'
import { toContextVariables } from '../../../contract/detect-context.ts'
import { clientDefaults, limits } from '../../../contract/limits.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { isCredentialText } from '../../../runtime/hiding/credential-text.ts'
import { redact } from '../../../runtime/hiding/redact.ts'
import type { Host } from '../../../runtime/host.ts'
import { detectTokenKind } from '../../../runtime/tokens/token-kind.ts'
import { findCommand } from '../../check-helper/find-command.ts'

/** What a helper wrote. */
interface HelperOutput {
  readonly stdout: Uint8Array
  readonly stderr: string
}

/**
 * Runs a helper as the client does in its connection test, and gives what it printed.
 * @throws {HelperError} `usage` for what cannot be started, `unavailable` for a run that gives nothing.
 */
export async function runHelper(host: Host, [program = '', ...args]: readonly string[]): Promise<HelperOutput> {
  if (isCredentialText(program) || detectTokenKind(program) !== 'opaque') throw rejectArgument()
  const command = await findCommand(program, host.env)
  if (command === program && !/[\\/]/.test(program))
    throw new HelperError('usage', 'the program behind -- is not on PATH', 'write its path')
  const resolved = resolveLaunch({ command, args }, host.platform)
  if ('problem' in resolved)
    throw new HelperError(
      'usage',
      `a client starts no such helper: ${resolved.problem}`,
      'write it as a document would',
    )
  const env = { ...host.env, ...toContextVariables('setup-test') }
  const launched = await launch(resolved.command, env, clientDefaults.timeoutSec * 1000)
  const end = describeEnd(launched, clientDefaults.timeoutSec)
  const { stdout } = launched
  const stderr = launched.stderr.trim()
  if (!end && stdout.length <= limits.stdoutBytes) return { stdout, stderr }
  const said = redact(stderr, [])
  const words = end?.message ?? 'the helper printed more than a client reads'
  const kind = end?.reason === 'not-started' ? 'usage' : 'unavailable'
  throw new HelperError(kind, said === '' ? words : `${words}; on stderr: ${said}`, findHint(end?.reason))
}

function findHint(reason: string | undefined): string {
  if (reason === 'not-started') return 'check that the file exists, is executable and names an interpreter that exists'
  return 'follow its message, or see what a client makes of it: gatepass check-helper'
}

/** A word of the command line may be a token; nothing of it is repeated. */
export function rejectArgument(): HelperError {
  return new HelperError(
    'usage',
    'a token is no argument: other users of this machine see command lines, and shells keep them',
    'pipe it in, name a file with --file, or run a helper behind --; replace the token if others may have seen it',
  )
}
