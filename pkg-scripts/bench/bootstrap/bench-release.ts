import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolloutFile } from '../../../src/bootstrap/rollout.ts'
import { toBundlePath } from '../../tree.ts'
import type { BenchPolicy } from '../verifier/bench-policy.ts'

/** A release folder of the command itself, and files with requests for the load generators. */
export interface BenchRelease {
  readonly directory: string
  readonly publicKey: string
  /** Lines with a token, for answers with a document. */
  readonly documents: string
  /** Lines with a token and the entity tag of its document, for 304s. */
  readonly unchanged: string
  /** Twenty lines, of which one is for a document. */
  readonly mostlyUnchanged: string
  /** The headers and the body of a document, for the server to compare with. */
  readonly answer: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

/** Publishes a release for three groups, one of which has the callers of the policy. The server must be asked once for its entity tag. */
export async function writeBenchRelease(home: string): Promise<Pick<BenchRelease, 'directory' | 'publicKey'>> {
  const rollout = join(home, 'rollout')
  await mkdir(rollout)
  const write = (name: string, value: object) => writeFile(join(rollout, name), JSON.stringify(value))
  const group = (name: string) => ({ name, claims: { team: [name] }, overlays: [`${name}.json`] })
  const names = ['platform', 'finance', 'legal']
  await write(rolloutFile, { singleValued: ['team'], groups: names.map(group) })
  await write('base.json', createBase())
  for (const name of names) await write(`${name}.json`, { inference: { customHeaders: { 'x-team': name } } })
  const directory = join(home, 'releases')
  await runGatepass(['keygen', '--out', join(home, 'release.key')])
  await runGatepass(['release', rollout, '--to', directory, '--signing-key', join(home, 'release.key')])
  return { directory, publicKey: join(home, 'release.key.pub') }
}

/** Writes the requests of every caller, after the entity tag is known. */
export async function writeRequests(
  home: string,
  { tokens }: BenchPolicy,
  etag: string,
): Promise<Pick<BenchRelease, 'documents' | 'unchanged' | 'mostlyUnchanged'>> {
  const write = async (name: string, isUnchanged: (index: number) => boolean) => {
    const lines = tokens.map((token, index) => (isUnchanged(index) ? `${token} ${etag}` : token))
    await writeFile(join(home, name), `${lines.join('\n')}\n`)
    return join(home, name)
  }
  return {
    documents: await write('documents.txt', () => false),
    unchanged: await write('unchanged.txt', () => true),
    mostlyUnchanged: await write('mostly-unchanged.txt', (index) => index % 20 > 0),
  }
}

/**
 * Runs `gatepass bootstrap` from its bundle.
 * @throws with its output.
 */
export async function runGatepass(argv: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [toBundlePath('gatepass'), 'bootstrap', ...argv])
  return stdout
}

const run = promisify(execFile)

/** Returns a base document of a kilobyte, to which overlays add as many headers. */
export function createBase() {
  const headers = Array.from({ length: 10 }, (_, index) => [
    `x-setting-${index}`,
    `value ${index} that everybody in the organization gets`,
  ])
  return {
    inference: {
      provider: 'gateway',
      baseUrl: 'https://gateway.bench.example',
      credential: { kind: 'helper-script', command: '/opt/acme/helper', commandWindows: 'C:\\Acme\\helper.exe' },
      customHeaders: Object.fromEntries(headers),
    },
  }
}
