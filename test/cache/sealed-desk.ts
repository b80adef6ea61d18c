import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { root } from '../../pkg-scripts/tree.ts'
import type { Outcome } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import type { Session } from '../stand-ins/keyring/start-session.ts'
import { startCountableSource } from './countable-source.ts'
import { listCache, type RunParts, startRun, startRuns } from './start-run.ts'

/** The helper of these tests: its tokens are numbered. */
export const program = 'workload-token'

/** Returns the token of a mint. */
export const token = (number: number) => `made-up-access-token-${number}`

/** Starts a helper that keeps its tokens in a cache that is sealed, in a session whose home directory is its own. */
export async function startSealedDesk({ home, env }: Session) {
  const source = await startCountableSource(program)
  const parts = ({ env: more = {}, ...rest }: RunParts): RunParts => ({
    context: 'background',
    ...rest,
    env: { GATEPASS_CACHE: 'keychain', ...env, ...more },
  })
  return {
    ...source,
    home,
    run: (given: RunParts = {}): Promise<Outcome> =>
      startRun(program, source, parts(given)).outcome.then(({ ms: _, ...outcome }) => outcome),
    runs: (count: number, given: RunParts = {}) => startRuns(count, program, source, parts(given)),
    /** Returns the kinds of the files in the cache, each once. */
    kinds: async () => [...new Set((await listCache({ home })).map((name) => name.replace(/.*\./, '')))].sort(),
    /** Runs the helper from source, because only then its machine's file can be anywhere else than where it is. */
    runOnMachine: async (machine: object, argv: readonly string[]) => {
      const directory = await temporaryDirectory()
      await writeFile(join(directory, `${program}.json`), JSON.stringify(machine))
      const options = ['--input-type=module-typescript', '-e', script, directory, ...source.argv(), ...argv]
      const whole = { ...source.env, ...env }
      const { exitCode, stdout, stderr } = await execa(process.execPath, options, {
        env: whole,
        extendEnv: false,
        reject: false,
        stripFinalNewline: false,
        stdin: 'ignore',
      })
      return { status: exitCode, stdout, stderr }
    },
  }
}

const at = (path: string) => JSON.stringify(join(root, path))
const script = `import helper from ${at(`helpers/${program}.ts`)}
import { runHelper } from ${at('src/helper/run/run-helper.ts')}
import { endProcess, createSystemHost } from ${at('src/runtime/host.ts')}
const [machineDirectory, ...argv] = process.argv.slice(1)
const { status, work } = await runHelper('${program}', helper, { ...createSystemHost(), machineDirectory, argv })
endProcess(status, work)`

/** Finds the files below a directory in which a secret or ten characters of it can be read, as they are or in base64 or hex. */
export async function findReadable(directory: string, secret: string): Promise<string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = found.filter((file) => file.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const parts = toReadableParts(secret)
  const hits = await Promise.all(
    files.map(async (path) => {
      const text = await readFile(path, 'latin1')
      return parts.some((part) => text.includes(part)) ? [path] : []
    }),
  )
  return hits.flat()
}

function toReadableParts(secret: string): string[] {
  const parts = Array.from({ length: secret.length - 9 }, (_, index) => secret.slice(index, index + 10))
  const encoded = parts.flatMap((part) => [
    Buffer.from(part).toString('hex'),
    Buffer.from(part.slice(0, 9)).toString('base64'),
  ])
  return [...parts, ...encoded]
}
