import type { HelperScriptCredential } from '../../config/document.ts'
import { resolveHelperTimeoutSec } from '../../contract/timing/call-time.ts'
import type { Part } from '../examination.ts'
import type { HelperRun } from '../launch/run-credential-helper.ts'

/** Describes one run of the helper as a connection test; secrets in its stderr were replaced before. */
export function describeHelperRun(run: HelperRun, credential: HelperScriptCredential): Part {
  const timeoutSec = resolveHelperTimeoutSec(credential, 'setup-test')
  const took = `it took ${run.durationMs} ms of the ${timeoutSec} s that the client waits`
  const said =
    run.stderr.trim() === ''
      ? []
      : [
          'on stderr:',
          ...run.stderr
            .trim()
            .split(/\r?\n/)
            .map((line) => `  ${line}`),
        ]
  const left = run.survivors === 'none' ? [] : ['it left processes that a client does not end']
  if (!run.ok) {
    const lines = [`${run.reason}: ${run.message}`, took, ...left, ...said]
    return { part: 'run', outcome: 'bad', lines, hint: failureHint(run.reason) }
  }
  const lines = [`exit status 0 and ${shapes[run.shape]}`, took, ...run.warnings.map(warningOf), ...said]
  if (said.length > 0)
    return {
      part: 'run',
      outcome: 'note',
      lines,
      hint: 'keep stderr empty on success: a client shows a warning for it',
    }
  return { part: 'run', outcome: run.warnings.length > 0 ? 'note' : 'good', lines }
}

const shapes = {
  'bare token': 'a bare token on stdout',
  'JSON object': 'a JSON object on stdout',
  'of another client': 'what another client reads on stdout',
} as const

function warningOf(warning: string): string {
  if (warning === 'proxy-authorization')
    return `not every client sends the header ${warning}, and a forward proxy may take it`
  return `the client accepts this with a warning: ${warning}`
}

function failureHint(reason: (HelperRun & { ok: false })['reason']): string {
  switch (reason) {
    case 'not-startable':
      return 'correct command and args in the document'
    case 'not-started':
      return 'check that the file exists, is executable and names an interpreter that exists: ls -l, head -1'
    case 'timeout':
      return 'find out what it waits for; nobody can answer it here'
    case 'exit-status':
    case 'signal':
      return 'follow its message; if a person has to sign in first, sign in and try again'
    case 'credential-process':
      return 'name a helper that prints {"token": "…"} instead of credentials for the AWS tools'
    default:
      return 'check what it prints: gatepass check-helper explains every rule'
  }
}
