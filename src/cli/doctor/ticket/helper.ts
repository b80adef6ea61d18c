import { launch } from '../../../client/launch/launch.ts'
import { resolveLaunch } from '../../../client/launch/launch-command.ts'
import { findHelper } from '../../../config/check/find-helper.ts'
import type { HelperScriptCredential } from '../../../config/document.ts'
import { resolveHelperTimeoutSec } from '../../../contract/timing/call-time.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { redact } from '../../../runtime/hiding/redact.ts'
import type { Cli } from '../../cli.ts'
import { detectSystem } from '../../detect-system.ts'

/** Runs a helper of ours once more with `--explain`, which prints what it uses and why, and never the token. */
export async function explainHelper(
  { host, helpers }: Cli,
  credential: HelperScriptCredential,
  env: Environment,
): Promise<string[]> {
  if (!findHelper(credential, detectSystem(host.platform), (name) => helpers.has(name)))
    return ['it is none of this suite, so it was not asked']
  const resolved = resolveLaunch({ ...credential, args: [...(credential.args ?? []), '--explain'] }, host.platform)
  if ('problem' in resolved) return [resolved.problem]
  const timeoutMs = resolveHelperTimeoutSec(credential, 'setup-test') * 1000
  const { ended, stdout, stderr } = await launch(resolved.command, env, timeoutMs)
  const end = ended.how === 'exited' ? `exit status ${ended.status}` : ended.how
  return [end, ...quoteLines(new TextDecoder().decode(stdout)), ...quoteLines(stderr)]
}

function quoteLines(text: string): string[] {
  const shown = redact(text, []).trimEnd()
  return shown === '' ? [] : shown.split(/\r?\n/).map((line) => `| ${line}`)
}
