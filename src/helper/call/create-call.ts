import { detectContext } from '../../contract/detect-context.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { renderWarning } from '../../runtime/failure.ts'
import { expandHome } from '../../runtime/files.ts'
import type { Host } from '../../runtime/host.ts'
import { type NetworkSettings, toNetworkSettings } from '../../runtime/network/settings.ts'
import type { NetworkCall } from '../define-helper.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import type { CallRecord } from '../record/call-record.ts'
import { computeCallLimit } from './call-limit.ts'

/** A deadline of this call's context, counted from the start of the process. */
export function createDeadline({ env, streams, clock }: Host, record: CallRecord, clientTimeoutSec: number): Deadline {
  const context = detectContext(env, streams.attached)
  record.context = context
  record.deadline = new Deadline(computeCallLimit(context, clientTimeoutSec), clock, (stage, ms) =>
    record.stages.push([stage, ms]),
  )
  return record.deadline
}

/** The call of a run with these options. */
export function createCall(
  program: string,
  host: Host,
  resolved: ResolvedOptions,
  record: CallRecord,
  readHost: Host = host,
): NetworkCall {
  return {
    program,
    context: detectContext(host.env, host.streams.attached),
    deadline: createDeadline(host, record, Number(resolved.get('client-timeout')?.value)),
    warn: (message) => {
      record.warnings.push(message)
      host.streams.stderr(renderWarning(program, message))
    },
    network: resolveNetworkSettings(readHost, resolved),
  }
}

/** The options `proxy`, `no-proxy` and `ca`, with what Node and the AWS tools read from the environment. */
export function resolveNetworkSettings({ env, home }: Host, resolved: ResolvedOptions): NetworkSettings {
  const find = (name: string) => {
    const { value, origin = '' } = resolved.get(name) ?? {}
    return typeof value === 'string' ? { text: value, origin } : undefined
  }
  const ca = find('ca')
  const options = {
    proxy: find('proxy'),
    noProxy: find('no-proxy')?.text,
    ca: ca && { path: expandHome(ca.text, home), origin: ca.origin },
  }
  return toNetworkSettings(options, env)
}
