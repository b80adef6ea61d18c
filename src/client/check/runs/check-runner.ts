import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../../runtime/environment.ts'
import { findReadableChanges } from './changed-files.ts'
import { writeDecoyBrowsers } from './decoy-browsers.ts'
import { endMarked } from './end-marked.ts'
import { type CheckSetup, makeRun } from './make-run.ts'
import { openProcessTable } from './process-table.ts'
import type { Run } from './run.ts'
import type { RunRequest, Subject } from './run-request.ts'
import { SecretSearch } from './secret-search.ts'

/** Where runs are made and looked at. Disposing of it ends every process that is left of them. */
export interface CheckRunner extends AsyncDisposable {
  /** Every run so far, in the order in which they ended. */
  readonly runs: readonly Run[]
  /** @throws the signal's reason when the check is interrupted. */
  run(request: RunRequest): Promise<Run>
  /** Files that everybody can read, written since the check began, that hold a secret the helper printed. */
  findExposedFiles(): Promise<readonly { readonly path: string; readonly what: string }[]>
}

export async function startCheckRunner(subject: Subject): Promise<CheckRunner> {
  const directory = await mkdtemp(join(tmpdir(), 'helper-check-'))
  await chmod(directory, 0o700)
  const startedAt = Date.now()
  const id = randomUUID()
  const table = openProcessTable(subject.platform)
  const secrets = new SecretSearch(subject.env, subject.args)
  const surroundings: CheckSetup = { subject, directory, secrets, table, decoys: await writeDecoyBrowsers(directory) }
  const runs: Run[] = []
  let started = 0
  return {
    runs,
    run: async (request) => {
      subject.signal.throwIfAborted()
      started += 1
      const run = await makeRun(surroundings, request, `${id}.${started};`)
      runs.push(run)
      return run
    },
    findExposedFiles: async () => {
      const files = await findReadableChanges(writableRoots(subject.env), startedAt)
      return files.flatMap(({ path, text }) => {
        const what = secrets.find(text, 'files')
        return what === undefined ? [] : [{ path, what }]
      })
    },
    [Symbol.asyncDispose]: async () => {
      if (started > 0) await endMarked(table, `${id}.`)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Where a helper keeps things, as far as its environment says. */
function writableRoots({ HOME, TMPDIR = '/tmp', ...env }: Environment): string[] {
  const named = [env.XDG_CACHE_HOME, env.XDG_STATE_HOME, env.XDG_DATA_HOME, env.XDG_CONFIG_HOME, env.XDG_RUNTIME_DIR]
  return [HOME, TMPDIR, ...named].filter((root): root is string => root !== undefined && root !== '')
}
