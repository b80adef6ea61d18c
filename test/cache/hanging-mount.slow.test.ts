import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { startWorkbench, type Workbench } from '../helpers/workload-token/workbench.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { granted, startTokenEndpoint } from '../stand-ins/identity/token-endpoint.ts'
import { type Mount, startMount } from '../stand-ins/mount/start-mount.ts'

const program = 'workload-token'
const slowHint = "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here"

/** Starts a helper with an identity token, and a mount in its home directory. */
async function startDesk(): Promise<{ bench: Workbench; mount: Mount }> {
  const bench = await startWorkbench()
  const mount = await startMount(await temporaryDirectory())
  onTestFinished(async () => {
    await mount[Symbol.asyncDispose]()
    await bench[Symbol.asyncDispose]()
  })
  await bench.writeToken(await bench.provider.sign({}))
  return { bench, mount }
}

/**
 * Runs the helper with a limit of three seconds for its call: a busy machine may take one of them to start it. The time
 * that it takes beyond that is measured as well.
 */
async function run(bench: Workbench, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const own = ['--identity', 'file', '--identity-file', join(bench.home, 'identity-token'), '--client-timeout', '5']
  const begin = performance.now()
  const { exitCode, signal, stdout, stderr } = await execa(
    process.execPath,
    [toBundlePath(program), ...bench.target, ...own, ...argv],
    {
      env: { HOME: bench.home, ...env },
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
      stdin: 'ignore',
      // A run in which a mount hangs is ended by nothing else.
      timeout: 15_000,
      killSignal: 'SIGKILL',
    },
  )
  const isInTime = performance.now() - begin < 5_000
  return { ended: exitCode ?? signal, hasToken: stdout.includes('"token"'), stderr, isInTime }
}

const late = (stage: string) => ({
  ended: 7,
  hasToken: false,
  isInTime: true,
  stderr: `${program}: ${stage} took longer than the 3 s of this call\n${program}: hint: ${slowHint}\n`,
})

test('an identity token on a mount that hangs ends the call in its time', async () => {
  const { bench, mount } = await startDesk()
  const path = join(mount.path, 'token')
  await copyFile(join(bench.home, 'identity-token'), path)
  mount.stop()
  expect(await run(bench, ['--identity-file', path])).toEqual(late(`reading the configuration (waiting for ${path})`))
})

test('a home directory that hangs ends the call in its time', async () => {
  const { bench, mount } = await startDesk()
  mount.stop()
  const path = join(mount.path, '.config', 'gatepass', `${program}.json`)
  expect(await run(bench, [], { HOME: mount.path })).toEqual(
    late(`reading the configuration files (waiting for ${path})`),
  )
})

test('a token cache that hangs ends the call in its time', async () => {
  const { bench, mount } = await startDesk()
  const cache = { XDG_CACHE_HOME: mount.path }
  expect(await run(bench, [], cache)).toEqual({ ended: 0, hasToken: true, stderr: '', isInTime: true })
  mount.stop()
  expect(await run(bench, [], cache)).toEqual(late(`reading the token cache in ${join(mount.path, 'gatepass')}`))
})

test('a token is printed although the cache hangs once it is on its way', async () => {
  const { bench, mount } = await startDesk()
  await using endpoint = await startTokenEndpoint()
  endpoint.answer({ body: granted, before: () => mount.stop() })
  const argv = ['--base-url', endpoint.url, '--identity-reuse', 'allowed']
  expect(await run(bench, argv, { XDG_CACHE_HOME: mount.path })).toEqual({
    ended: 0,
    hasToken: true,
    isInTime: true,
    stderr: `${program}: warning: writing the token cache in ${join(mount.path, 'gatepass')} took longer than the 3 s of this call; the token is not stored\n`,
  })
})

test('the failure of a source is reported although the cache hangs', async () => {
  const { bench, mount } = await startDesk()
  await using endpoint = await startTokenEndpoint()
  endpoint.answer({ status: 403, body: {}, before: () => mount.stop() })
  const argv = ['--base-url', endpoint.url, '--identity-reuse', 'allowed']
  expect(await run(bench, argv, { XDG_CACHE_HOME: mount.path })).toEqual({
    ended: 5,
    hasToken: false,
    isInTime: true,
    stderr: `${program}: ${new URL(endpoint.url).host} did not exchange the identity token in ${join(bench.home, 'identity-token')} (HTTP 403)
${program}: hint: check base-url, organization, federation-rule, service-account and workspace
`,
  })
})

test('one run that mints and one that waits for its lock both end in time although the cache hangs', async () => {
  const { bench, mount } = await startDesk()
  await using endpoint = await startTokenEndpoint()
  const stopAndWait = async () => {
    mount.stop()
    await sleep(5_000) // longer than the 3 s of a call
  }
  endpoint.answer({ body: granted, before: stopAndWait })
  const argv = ['--base-url', endpoint.url, '--identity-reuse', 'allowed']
  const runs = [1, 2].map(() => run(bench, argv, { XDG_CACHE_HOME: mount.path }))
  // The stage of each at its deadline depends on their race.
  const stderr = expect.stringContaining(' took longer than the 3 s of this call\n')
  expect(await Promise.all(runs)).toEqual(Array(2).fill({ ended: 7, hasToken: false, isInTime: true, stderr }))
})

test('a token is printed although the log hangs', async () => {
  const { bench, mount } = await startDesk()
  const path = join(mount.path, 'calls.log')
  const argv = ['--log-file', path]
  const first = await run(bench, argv)
  const logged = (await readFile(path, 'utf8')).match(/^.+$/gm)?.length
  mount.stop()
  const printed = { ended: 0, hasToken: true, isInTime: true }
  expect({ first, logged, second: await run(bench, argv) }).toEqual({
    first: { ...printed, stderr: '' },
    logged: 1,
    second: { ...printed, stderr: `${program}: warning: cannot write the log: ${path} does not respond\n` },
  })
})

test('an AWS configuration that hangs ends the call in its time', async () => {
  const { bench, mount } = await startDesk()
  await mkdir(join(mount.path, '.aws'))
  await writeFile(join(mount.path, '.aws', 'config'), '[default]\nregion = eu-central-1\n')
  mount.stop()
  const path = join(mount.path, '.aws', 'config')
  expect(await run(bench, ['--identity', 'aws', '--audience', 'x'], { AWS_CONFIG_FILE: path })).toEqual(
    late(`reading the configuration (waiting for ${path})`),
  )
})
