import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import type { Outcome } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { granted, startTokenEndpoint } from '../../stand-ins/identity/token-endpoint.ts'
import { failure, program, startWorkbench, tokenOf, type Workbench } from './workbench.ts'

const fileArguments = ({ home }: Workbench) => ['--identity', 'file', '--identity-file', join(home, 'identity-token')]

/** Returns the outcome of a run that sends nothing because the token was exchanged before. */
function exchangedBefore({ home }: Workbench): Outcome {
  const path = join(home, 'identity-token')
  return failure(
    6,
    `the identity token in ${path} was exchanged before, and may be valid for one exchange only`,
    `check that ${path} is the right file, and that the program that writes it renews the token; if the platform accepts a token more than once, set identity-reuse to allowed`,
  )
}

test('after a kill between sending and recording the token is sent again, and a refusal says so', async () => {
  await using bench = await startWorkbench()
  await using endpoint = await startTokenEndpoint()
  const exp = Math.floor(Date.now() / 1000) + 300
  await bench.writeToken(await bench.provider.sign({ exp }))
  const argv = [...bench.target, ...fileArguments(bench), '--base-url', endpoint.url]
  const killed = execa(process.execPath, [toBundlePath(program), ...argv], {
    env: { HOME: bench.home },
    extendEnv: false,
    reject: false,
  })
  endpoint.answer({ body: granted, before: () => void killed.kill('SIGKILL') })
  const { signal } = await killed

  const cache = join(bench.home, '.cache', 'gatepass')
  const [sent = ''] = (await readdir(cache)).filter((name) => name.endsWith('.sent'))
  const sentAt = new Date((await stat(join(cache, sent))).mtimeMs).toISOString()
  endpoint.answer({ status: 400, body: { error: 'invalid_grant' } })
  const refused = [await bench.run({ argv }), await bench.run({ argv })]
  endpoint.answer({ body: granted })
  const token = tokenOf(await bench.run({ argv }))
  const again = await bench.run({ argv: [...argv, '--cache', 'none'] })
  const host = new URL(endpoint.url).host
  const rule = bench.platform.rule
  expect({ signal, refused, token, again }).toEqual({
    signal: 'SIGKILL',
    refused: Array(2).fill(
      failure(
        5,
        `${host} did not exchange the identity token in ${join(bench.home, 'identity-token')} (HTTP 400 invalid_grant); a run that was killed, or got no answer, at ${sentAt} may have used it`,
        `wait for a fresh one, which is due by ${new Date(exp * 1000).toISOString()}; if that is refused too, have the federation rule ${rule} accept issuer "https://issuer.example", subject "workload" and audience "https://platform.example", and check organization, service-account and workspace; a token that was exchanged before may have to be renewed first`,
      ),
    ),
    token: granted.access_token,
    again: exchangedBefore(bench),
  })
})

/** Mounts a file system that is full, but for names. */
async function mountFullDisk(): Promise<string> {
  const path = await temporaryDirectory()
  await execa('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'gatepass-test', path])
  onTestFinished(async () => {
    await execa('umount', [path])
  })
  await writeFile(join(path, 'filler'), Buffer.alloc(128 * 1024)).catch(() => undefined)
  return path
}

test('on a full disk the token is recorded, and no mint removes the record', async () => {
  await using bench = await startWorkbench()
  const disk = await mountFullDisk()
  const run = (argv: readonly string[] = []) =>
    bench.run({
      argv: [...bench.target, ...fileArguments(bench), ...argv],
      env: { XDG_CACHE_HOME: disk, VENDOR_HELPER_CONTEXT: 'mid-session-refresh' },
    })
  const [first, second] = [await bench.provider.sign({}), await bench.provider.sign({})]
  const runEach = async (argv: readonly string[] = []) => {
    const outcomes: Outcome[] = []
    for (const token of [first, second]) {
      await bench.writeToken(token)
      outcomes.push(await run(argv))
    }
    return outcomes
  }
  const full = await runEach()
  // With room again, the next mint sweeps.
  await rm(join(disk, 'filler'))
  await bench.writeToken(await bench.provider.sign({}))
  tokenOf(await run())
  const reason = `there is no room on the disk of ${join(disk, 'gatepass')} (ENOSPC)`
  expect({
    full: full.map(({ stdout, ...rest }) => ({ ...rest, token: typeof JSON.parse(stdout).token })),
    again: await runEach(['--cache', 'none']),
    exchanges: bench.exchanges(),
  }).toEqual({
    full: Array(2).fill({
      status: 0,
      token: 'string',
      stderr: `${program}: warning: cannot store the token for the next run: ${reason}\n`,
    }),
    again: Array(2).fill(exchangedBefore(bench)),
    exchanges: ['200', '200', '200'],
  })
})
