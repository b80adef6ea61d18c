import type { HelperScriptCredential } from '../../config/document.ts'
import type { HelperClient } from '../../contract/client.ts'
import { clientDefaults } from '../../contract/limits.ts'
import { Secret } from '../../runtime/secret.ts'
import { redact } from '../../runtime/text/redact.ts'
import { createClientVariables, planClientLaunch, renderRequest } from './client-request.ts'
import { type Launched, launch } from './launch.ts'
import { parseClientOutput } from './parse-client-output.ts'
import {
  describeEnd,
  type HeldCredential,
  type HelperRun,
  type RunHelper,
  type RunSetup,
} from './run-credential-helper.ts'

/** Tells a helper that a credential was refused. */
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
    const text = renderRequest(client.request, { operation, server, refused })
    const { command = '', args = [] } = helper
    const call = { command, args, ...(text !== undefined && { operation }) }
    const resolved = planClientLaunch(client, call, platform)
    if ('problem' in resolved) return resolved.problem
    const timeoutMs = (helper.timeoutSec ?? clientDefaults.timeoutSec) * 1000
    const variables = { ...env, ...createClientVariables(client) }
    return launch(resolved.command, variables, timeoutMs, text === undefined ? {} : { stdin: { text } })
  }
  const runHelper: RunHelper = async (helper, _context, setup) => {
    const launched = await start(helper, setup, 'get')
    if (typeof launched !== 'string') return toRun(launched, client, helper.timeoutSec ?? clientDefaults.timeoutSec)
    const nothing = { durationMs: 0, survivors: 'none', stderr: '' } as const
    return { ok: false, reason: 'not-startable', message: launched, ...nothing }
  }
  const eraseCredential: EraseCredential = (helper, refused, setup) =>
    start(helper, setup, 'erase', refused.token.reveal())
  return { runHelper, eraseCredential }
}

function toRun(launched: Launched, client: HelperClient, timeoutSec: number): HelperRun {
  const { durationMs, survivors, stdout, stderr } = launched
  const seen = { durationMs, survivors, stderr: redact(stderr, []) } as const
  const failure = describeEnd(launched, timeoutSec)
  if (failure) return { ok: false, ...failure, ...seen }
  const read = client.format === 'json' ? undefined : parseClientOutput(stdout, client.format, client)
  if (!read?.ok) return { ok: false, reason: 'other-format', message: read?.message ?? '', ...seen }
  const { token, headers, end } = read
  return {
    ok: true,
    credential: { token: new Secret(token), headers: client.headers === 'sent' ? headers : {} },
    shape: 'of another client',
    warnings: [],
    ...(end && { lifeSec: (end.at - Date.now()) / 1000 }),
    ...seen,
    stderr: redact(stderr, [token, ...Object.values(headers)]),
  }
}
