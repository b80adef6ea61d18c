import { join } from 'node:path'
import type { Environment } from '../../../runtime/environment.ts'
import { findReadableFiles, type SearchRoot } from './readable-files.ts'
import type { SecretSearch } from './secret-search.ts'

/** A file with a secret, by its own mode readable for every user. */
export interface ExposedFile {
  readonly path: string
  /** Which secret, such as `the token`. */
  readonly what: string
  /** Whether the directories above it let every user in, on this machine. */
  readonly isReachable: boolean
}

/** What a search of files found, and whether it came to its end. */
export interface ExposureSearch {
  readonly files: readonly ExposedFile[]
  readonly isComplete: boolean
}

/** Looks for secrets in the files of the directories into which a helper writes. */
export async function collectExposedFiles(
  secrets: SecretSearch,
  env: Environment,
  since: number,
): Promise<ExposureSearch> {
  if (secrets.isEmpty()) return { files: [], isComplete: true }
  const { files, isComplete } = await findReadableFiles(listRoots(env), since)
  const exposed = files.flatMap(({ path, text, isNew, isReachable }) => {
    const what = secrets.find(text, isNew ? 'new-file' : 'old-file')
    return what === undefined ? [] : [{ path, what, isReachable }]
  })
  return { files: exposed, isComplete }
}

/** Caches, configuration and temporary directories before the home, which may hold more than is looked at. */
function listRoots({ HOME, TMPDIR = '/tmp', ...env }: Environment): SearchRoot[] {
  const below = (...names: string[]) => (HOME ? names.map((name) => join(HOME, name)) : [])
  const own = [
    ...[env.XDG_CACHE_HOME, env.XDG_STATE_HOME, env.XDG_DATA_HOME, env.XDG_CONFIG_HOME],
    ...below('.cache', '.config', '.local/state', '.local/share', 'Library/Caches', 'Library/Application Support'),
  ]
  return [
    ...toRoots(own, false),
    ...toRoots([TMPDIR, env.XDG_RUNTIME_DIR], true), // closed to others by what makes them, if at all
    ...toRoots([HOME], false),
  ]
}

function toRoots(paths: readonly (string | undefined)[], isAlwaysPrivate: boolean): SearchRoot[] {
  return paths.flatMap((path) => (path ? [{ path, isAlwaysPrivate }] : []))
}
