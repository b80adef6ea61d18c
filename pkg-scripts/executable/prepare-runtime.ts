import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../tree.ts'
import { downloadPackage, registryPausesMs } from './download-package.ts'
import { expandArchive } from './expand-archive.ts'
import { checkOrigin, checkSignature, type OriginCheck } from './origin/origin.ts'
import { isWindows, type Runtime } from './runtimes.ts'
import { strip } from './strip.ts'

/**
 * Returns the path of a runtime, downloaded if it is not there and checked, without symbols and signature.
 * @throws HelperError where it is not Node's own.
 */
export async function prepareRuntime(runtime: Runtime): Promise<string> {
  const directory = locateRuntime(runtime)
  const prepared = join(directory, isWindows(runtime.target) ? 'node.exe' : 'node')
  if (existsSync(prepared) && existsSync(join(directory, originFile))) return prepared
  mkdirSync(directory, { recursive: true })
  const { program, license } = await downloadRuntime(runtime)
  const origin = await checkSignature(runtime, program)
  await checkOrigin(runtime, origin)
  if (license) writeFileSync(join(directory, 'LICENSE'), license)
  const draft = `${prepared}.${process.pid}.tmp`
  writeFileSync(draft, strip(program), { mode: 0o755 })
  writeFileSync(join(directory, originFile), JSON.stringify(origin))
  renameSync(draft, prepared)
  return prepared
}

/**
 * Lists the evidence that a runtime is Node's own, after preparing it.
 * @throws HelperError if it is another program.
 */
export async function listOriginChecks(runtime: Runtime): Promise<OriginCheck[]> {
  await prepareRuntime(runtime)
  return checkOrigin(runtime, JSON.parse(readFileSync(join(locateRuntime(runtime), originFile), 'utf8')))
}

/** Returns the program and the licence of a runtime as its package has them. */
export async function downloadRuntime(runtime: Runtime): Promise<{ program: Buffer; license: Buffer | undefined }> {
  const name = `package/bin/${isWindows(runtime.target) ? 'node.exe' : 'node'}`
  const files = await expandArchive(await downloadPackage(runtime, registryPausesMs), [name, 'package/LICENSE'])
  const program = files.get(name)
  if (program === undefined) throw new Error(`${runtime.packageName}@${runtime.version} holds no ${name}`)
  return { program, license: files.get('package/LICENSE') }
}

/** The digest of the program before anything was removed, and the result of its signature. */
const originFile = 'origin.json'

function locateRuntime({ packageName, version }: Runtime): string {
  return join(root, 'dist', 'runtimes', `${packageName}-${version}`)
}
