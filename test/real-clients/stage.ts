import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { quoteForShell } from '../../src/runtime/text/quote.ts'
import { startTokenServer } from '../cache/token-server.ts'
import { type Outcome, runExecutable } from '../setup/run-program.ts'
import { type InferenceGateway, startInferenceGateway } from '../stand-ins/model/inference-gateway.ts'
import { type Namespace, openNamespace } from '../stand-ins/namespace/open-namespace.ts'

/** Everything around a real client: its home, a gateway, a helper that mints from a token service, and no other network. */
export interface Stage {
  readonly home: string
  /** An empty folder, in which the client works. */
  readonly workspace: string
  readonly gateway: InferenceGateway
  readonly source: Awaited<ReturnType<typeof startTokenServer>>
  readonly identityFile: string
  /** A helper whose source is {@link source}. */
  readonly helper: BuiltHelper
  /** A helper whose token, another one each time, ends after so many seconds. */
  createShortLived(lifeSec: number): Promise<BuiltHelper>
  /** A helper whose token is in a file. */
  createPrinting(file: string): Promise<BuiltHelper>
  /** The built command, as the administrator runs it. */
  gatepass(...argv: string[]): Promise<Outcome>
  /** Runs a program in the workspace. */
  run(path: string, argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>
}

/** A built helper under its name, as an installation has it, and its arguments. */
export interface BuiltHelper {
  readonly name: string
  readonly command: string
  readonly argv: readonly string[]
}

/** Starts it until the test is over. These servers on loopback are reached as well. */
export async function startStage(...urls: readonly string[]): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'gatepass-client-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  const [home, workspace, temporary] = ['home', 'work', 'tmp'].map((name) => join(directory, name)) as Triple
  await Promise.all([home, workspace, temporary].map((path) => mkdir(path)))
  const source = await startTokenServer((number) => ({
    access_token: `made-up-access-token-${number}`,
    token_type: 'Bearer',
    expires_in: 3600,
  }))
  const gateway = await startInferenceGateway(/^made-up-access-token-\d+$/)
  const namespace = await openNamespace([source.url, gateway.url, ...urls])
  onTestFinished(() => closeAll(namespace, gateway))
  const identityFile = join(directory, 'identity')
  await writeFile(identityFile, madeUpIdentity())
  const target = ['--base-url', source.url, '--organization', 'org-1', '--federation-rule', 'rule-1']
  const buildHelper = async (name: string, argv: readonly string[]): Promise<BuiltHelper> => {
    return { name, command: await writeLauncher(directory, name), argv }
  }
  // Codex gives its commands a random directory on PATH, unless its home is in the directory for temporary files.
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TMPDIR: temporary, TERM: 'xterm-256color' }
  return {
    home,
    workspace,
    gateway,
    source,
    identityFile,
    helper: await buildHelper('workload-token', [...target, '--identity', 'file', '--identity-file', identityFile]),
    createShortLived: (lifeSec) => {
      const line = `printf '{"token": "made-up-access-token-%s", "expires_in": ${lifeSec}}' $(date +%s%N)`
      return buildHelper(
        'command-token',
        ['/bin/sh', '-c', line].map((word) => `--command=${word}`),
      )
    },
    createPrinting: (file) => buildHelper('command-token', ['--command=/bin/cat', `--command=${file}`]),
    gatepass: (...argv) =>
      runExecutable(process.execPath, { argv: [toBundlePath('gatepass'), ...argv], env: environment }),
    run: (path, argv, env = {}) => namespace.run(path, { argv, env: { ...environment, ...env }, cwd: workspace }),
  }
}

type Triple = [string, string, string]

/** Writes a bundle under its name, which is what an installation has on its path. */
async function writeLauncher(directory: string, name: string): Promise<string> {
  const path = join(directory, name)
  const line = quoteForShell([process.execPath, toBundlePath(name)])
  await writeFile(path, `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 })
  return path
}

async function closeAll(...all: readonly [Namespace, InferenceGateway]): Promise<void> {
  for (const one of all) await one[Symbol.asyncDispose]()
}

/** Nobody here looks at its signature. */
function madeUpIdentity(): string {
  const claims = { iss: 'https://issuer.example', sub: 'runner', aud: 'platform', exp: 4_000_000_000 }
  const parts = [{ alg: 'RS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return [...parts, 'signature'].join('.')
}
