// Runs a helper as a client other than the desktop one does, for one server.

import type { HelperScriptCredential } from '../../config/document.ts'
import type { HelperClient } from '../../contract/client.ts'
import { clientDefaults } from '../../contract/limits.ts'
import { Secret } from '../../runtime/secret.ts'
import { quoteForShell } from '../../runtime/text/quote.ts'
import { redact } from '../../runtime/text/redact.ts'
import { parseClientOutput, renderRequest } from './client-formats.ts'
import { type Launched, launch } from './launch.ts'
import { type Launch, planLaunch, relativePath } from './launch-command.ts'
import {
  describeEnd,
  type HeldCredential,
  type HelperRun,
  type RunHelper,
  type RunSetup,
} from './run-credential-helper.ts'

/** Reports to a helper that a credential was refused. */
export type EraseCredential = (
  helper: HelperScriptCredential,
  refused: HeldCredential,
  setup: RunSetup,
) => Promise<unknown>

/** Creates the functions with which a client other than the desktop one runs a helper for one server. */
export function createClientRuns(client: HelperClient, server: string) {
  const start = async (
    helper: HelperScriptCredential,
    { env, platform }: RunSetup,
    operation: string,
    refused?: string,
  ) => {
    const text = renderRequest(client.format, { server, refused })
    const { command = '', args = [] } = helper
    const call = { command, args, operation: text === undefined ? undefined : operation }
    const resolved = planClientLaunch(client, call, platform)
    if ('problem' in resolved) return resolved.problem
    const timeoutMs = selectTimeoutSec(helper) * 1000
    return launch(resolved.command, { ...env, ...client.variables }, timeoutMs, {
      stdin: text === undefined ? undefined : { text },
    })
  }
  const runHelper: RunHelper = async (helper, _context, setup) => {
    const launched = await start(helper, setup, 'get')
    if (typeof launched !== 'string')
      return toRun(launched, client, { timeoutSec: selectTimeoutSec(helper), now: Date.now() })
    const nothing = { durationMs: 0, survivors: 'none', stderr: '' } as const
    return { ok: false, reason: 'not-startable', message: launched, ...nothing }
  }
  const eraseCredential: EraseCredential = (helper, refused, setup) =>
    start(helper, setup, 'erase', refused.token.reveal())
  return { runHelper, eraseCredential }
}

function selectTimeoutSec({ timeoutSec = clientDefaults.timeoutSec }: HelperScriptCredential): number {
  return timeoutSec
}

function toRun(
  launched: Launched,
  client: HelperClient,
  { timeoutSec, now }: { readonly timeoutSec: number; readonly now: number },
): HelperRun {
  const { durationMs, survivors, stdout, stderr } = launched
  const seen = { durationMs, survivors, stderr: redact(stderr, []) } as const
  const failure = describeEnd(launched, timeoutSec)
  if (failure) return { ok: false, ...failure, ...seen }
  const read = client.format === 'json' ? undefined : parseClientOutput(stdout, client.format, now, client)
  if (!read?.ok) return { ok: false, reason: 'other-format', message: read?.message ?? '', ...seen }
  const { token, headers, end } = read
  return {
    ok: true,
    credential: { token: new Secret(token), headers: client.headers === 'sent' ? headers : {} },
    shape: 'of another client',
    warnings: [],
    lifeSec: end && (end.at - now) / 1000,
    ...seen,
    stderr: redact(stderr, [token, ...Object.values(headers)]),
  }
}

/** The command that a client starts: the path and arguments in its configuration, and the argument of its protocol. */
interface ClientCall {
  readonly command: string
  readonly args: readonly string[]
  /** `get` requests a credential; other operations only inform the helper. Absent if the client's protocol has none. */
  readonly operation?: string | undefined
}

/** Plans how a client starts a helper: directly, or through a shell; pure. On Windows, every client starts it like the desktop client. */
export function planClientLaunch(client: HelperClient, call: ClientCall, platform: NodeJS.Platform): Launch {
  const { command, args, operation } = call
  if (client.format === 'json') return planLaunch({ command, args }, platform)
  if (client.start === 'path' && args.length > 0)
    return { problem: `${client.title} passes no arguments of a helper, only those of its protocol` }
  const words = operation === undefined ? args : [...args, operation]
  if (platform === 'win32') return planLaunch({ command, args: words }, platform)
  if (!command.startsWith('/')) return { problem: relativePath }
  if (client.start !== 'shell-line') return { command: { file: command, args: words } }
  return { command: { file: '/bin/sh', args: ['-c', quoteForShell([command, ...words])] } }
}
