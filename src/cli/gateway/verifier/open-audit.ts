import { readHeadersFile } from '../../../outcomes/read-headers-file.ts'
import { expandHome } from '../../../runtime/disk.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { createStreamFetch } from '../../../runtime/network/stream-fetch.ts'
import type { Log } from '../../../verify/server/log.ts'
import { type AuditSink, openAuditFile } from '../../../verify/sinks/audit-sinks.ts'
import { openOtlpAudit, otlpPrefix, parseLogsAddress } from '../../../verify/sinks/otlp-audit.ts'
import { openSystemAudit, systemLogger } from '../../../verify/sinks/system-audit.ts'
import { readNetwork } from '../../network.ts'
import type { VerifierFlags } from './flags.ts'

/** Opens the audit, if the flags name one. @throws {HelperError} for an audit that cannot be opened, and for headers that nothing sends. */
export async function openAudit(
  { audit, auditHeadersFile: headersFile }: VerifierFlags,
  host: Host,
  log: Log,
): Promise<AuditSink | undefined> {
  const tellTrouble = (message: string) => log.tell({ level: 'error', event: 'audit', message })
  if (audit?.startsWith(otlpPrefix)) {
    const url = parseLogsAddress(audit.slice(otlpPrefix.length))
    const path = headersFile && expandHome(headersFile, host.home)
    const readHeaders = async () => (path ? readHeadersFile(path, '--audit-headers-file') : [])
    const fetch = createStreamFetch({ network: await readNetwork(host), silenceSec: 10 })
    return openOtlpAudit({ url, fetch, readHeaders, tellTrouble })
  }
  if (headersFile !== undefined)
    throw new HelperError(
      'usage',
      '--audit-headers-file is for a collector alone',
      `name it with --audit ${otlpPrefix}URL, or remove --audit-headers-file`,
    )
  if (audit === undefined) return undefined
  return audit === 'system'
    ? openSystemAudit(systemLogger, tellTrouble, host.platform)
    : openAuditFile(audit, tellTrouble)
}
