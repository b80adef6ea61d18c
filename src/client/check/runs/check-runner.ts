import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { writeDecoyBrowsers } from './decoy-browsers.ts'
import { endMarkedProcesses } from './end-marked-processes.ts'
import { collectExposedFiles, type ExposureSearch } from './exposed-files.ts'
import { type CheckSetup, observeRun } from './observe-run.ts'
import { linuxProcessTable } from './processes/linux-process-table.ts'
import type { ProcessTable } from './processes/process-table.ts'
import { psProcessTable } from './processes/ps-process-table.ts'
import { createPromptingRuns } from './prompting-runs.ts'
import type { Run } from './run.ts'
import type { RunRequest, Subject } from './run-request.ts'
import { SecretSearch } from './secret-search.ts'

/** Makes runs and observes them. Disposing of it ends every process that they left. */
export interface CheckRunner extends AsyncDisposable {
  /** Every run so far, in the order in which they ended. */
  readonly runs: readonly Run[]
  /** The runs that have not ended yet, in the order in which they were started. */
  readonly active: ReadonlySet<ActiveRun>
  /** @throws the signal's reason when the check is interrupted. */
  run(request: RunRequest): Promise<Run>
  /** Looks for secrets that the helper printed in files that every user can read. */
  searchFiles(): Promise<ExposureSearch>
}

/** A run that has not ended yet. */
export interface ActiveRun {
  /** How it is run, such as `in the context background`. */
  readonly title: string
  /** On the monotonic clock of this process. */
  readonly startedAtMs: number
  readonly limitMs: number
}

/** Creates what runs share: decoy browsers in a directory of their own, and a search for secrets. */
export async function startCheckRunner(subject: Subject): Promise<CheckRunner> {
  const directory = await mkdtemp(join(tmpdir(), 'helper-check-'))
  await chmod(directory, 0o700)
  const startedAt = Date.now()
  const id = randomUUID()
  const table = findProcessTable(subject.platform)
  const secrets = new SecretSearch(subject.env, subject.args)
  const decoys = await writeDecoyBrowsers(directory)
  const setup: CheckSetup = { subject, directory, secrets, table, decoys, prompting: createPromptingRuns(), last: {} }
  const runs: Run[] = []
  const active = new Set<ActiveRun>()
  let started = 0
  return {
    runs,
    active,
    run: async (request) => {
      subject.signal.throwIfAborted()
      started += 1
      const waiting = { title: request.title, startedAtMs: performance.now(), limitMs: request.limitMs }
      active.add(waiting)
      try {
        const run = await observeRun(setup, request, `${id}.${started};`)
        runs.push(run)
        return run
      } finally {
        active.delete(waiting)
      }
    },
    searchFiles: () => collectExposedFiles(secrets, subject.env, startedAt),
    [Symbol.asyncDispose]: async () => {
      if (started > 0) await endMarkedProcesses(table, `${id}.`)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** `undefined` on platforms whose processes we cannot read. */
function findProcessTable(platform: NodeJS.Platform): ProcessTable | undefined {
  if (platform === 'linux') return linuxProcessTable
  return platform === 'darwin' ? psProcessTable : undefined
}
