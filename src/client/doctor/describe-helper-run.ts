import type { HelperScriptCredential } from '../../config/document.ts'
import { computeHelperTimeoutSec } from '../../contract/freshness.ts'
import { describeLook, ownSystem, quoteForHint } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import type { Part } from '../examination.ts'
import type { HelperRun } from '../launch/run-credential-helper.ts'

/** Describes one run of the helper as a connection test. Secrets in its stderr were already replaced. */
export function describeHelperRun(run: HelperRun, credential: HelperScriptCredential): Part {
  const timeoutSec = computeHelperTimeoutSec(credential, 'setup-test')
  const took = `it took ${run.durationMs} ms of the ${timeoutSec} s that the client waits`
  const stderr = run.stderr.trim()
  const quoted = stderr === '' ? [] : ['on stderr:', ...stderr.split(/\r?\n/).map((line) => `  ${line}`)]
  const left = run.survivors === 'none' ? [] : ['it left processes that a client does not end']
  if (!run.ok) {
    const said = parseHelperMessage(run.stderr)
    return {
      part: 'run',
      outcome: 'bad',
      lines: [`${run.reason}: ${run.message}`, took, ...left, ...quoted],
      cause: said.message === undefined ? describeSilence(run) : `${run.message}: ${said.message}`,
      hint: said.hint ?? chooseFailureHint(run, credential),
    }
  }
  const lines = [`exit status 0 and ${shapes[run.shape]}`, took, ...run.warnings.map(describeWarning), ...quoted]
  if (quoted.length > 0)
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

/** Parses the message of a failed helper: its last line, because most programs end with the cause, and the hint that our helpers add. */
export function parseHelperMessage(stderr: string): {
  readonly message: string | undefined
  readonly hint: string | undefined
} {
  const lines = stderr.split(/\r?\n/).filter((line) => line.trim() !== '')
  const hint = lines.map((line) => /^[\w-]+: hint: (.*)/.exec(line)?.[1]).findLast((found) => found !== undefined)
  const message = lines.findLast((line) => !/^[\w-]+: (hint|warning): /.test(line))?.trim()
  return { message, hint }
}

/** Exit statuses of shells for commands that could not be run (POSIX, "Exit Status for Commands"). */
const unrunnable: ReadonlyMap<number | undefined, string> = new Map([
  [126, 'the helper could not be started, or what it runs may not be executed (exit status 126, without a message)'],
  [127, 'the helper could not be started, or found nothing to run (exit status 127, without a message)'],
])

function describeSilence({ message, reason, status }: FailedRun): string {
  const isSilent = reason === 'exit-status' ? ', and said nothing' : ''
  return unrunnable.get(status) ?? `${message}${isSilent}`
}

function chooseFailureHint(
  { reason, status, stderr }: FailedRun,
  { command, commandWindows }: HelperScriptCredential,
): string {
  const path = (ownSystem === 'windows' ? commandWindows : undefined) ?? command ?? ''
  switch (reason) {
    case 'not-startable':
      return 'correct command and args in the document'
    case 'not-started':
      return `check that the file exists, is executable and names an interpreter that exists: ${describeLook(path, ownSystem)}`
    case 'timeout':
      return 'find out what it waits for; nobody can answer it here'
    case 'exit-status':
      if (stderr.trim() !== '') return 'follow its message; if a person has to sign in first, sign in and try again'
      return unrunnable.has(status)
        ? `check that the interpreter in its first line exists, and run it with the PATH that a client has: env -i PATH=/usr/bin:/bin ${quoteForHint(path)}`
        : `have it say on stderr why it fails; to see the steps of a shell script, run: sh -x ${quoteForHint(path)}`
    case 'signal':
      return 'find out what ended it, such as the system when memory was short, or its own watchdog'
    case 'credential-process':
      return 'name a helper that prints {"token": "…"} instead of credentials for the AWS tools'
    default:
      return `see which rule its output breaks: ${programName} check-helper PROGRAM`
  }
}

function describeWarning(warning: string): string {
  if (warning === 'proxy-authorization')
    return `not every client sends the header ${warning}, and a forward proxy may take it`
  return `the client accepts this with a warning: ${warning}`
}

type FailedRun = HelperRun & { readonly ok: false }
