import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runBundle } from '../../setup/run-bundle.ts'
import { fails, prints } from '../../setup/run-program.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { granted, startTokenEndpoint } from '../../stand-ins/identity/token-endpoint.ts'
import { failure, program, startWorkbench, tokenOf, type Workbench } from './workbench.ts'

const refresh = { VENDOR_HELPER_CONTEXT: 'mid-session-refresh' }

/** Returns the helper with the file that `writeToken` writes. */
function askFile(bench: Workbench, argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const own = ['--identity', 'file', '--identity-file', join(bench.home, 'identity-token')]
  return bench.run({ argv: [...bench.target, ...own, ...argv], env })
}

async function renew(bench: Workbench, claims = {}): Promise<void> {
  await bench.writeToken(await bench.provider.sign(claims))
}

/** Returns the outcome of a run that sends nothing because the token was exchanged before. */
function exchangedBefore({ home }: Workbench) {
  const path = join(home, 'identity-token')
  return fails(
    program,
    6,
    `the identity token in ${path} was exchanged before, and may be valid for one exchange only`,
    `check that ${path} is the right file, and that the program that writes it renews the token; if the platform accepts a token more than once, set identity-reuse to allowed`,
  )
}

const cacheOf = ({ home }: Workbench) => join(home, '.cache', 'gatepass')

async function listUsed(bench: Workbench): Promise<string[]> {
  return (await readdir(cacheOf(bench))).filter((name) => name.endsWith('.used'))
}

describe('an identity token that was exchanged', () => {
  test('is not sent for a refresh until it is renewed', async () => {
    await using bench = await startWorkbench()
    await renew(bench)
    const first = tokenOf(await askFile(bench))
    expect(await askFile(bench, [], refresh)).toEqual(exchangedBefore(bench))
    expect(bench.exchanges()).toEqual(['200'])
    await renew(bench)
    expect(tokenOf(await askFile(bench, [], refresh))).not.toBe(first)
    expect(bench.exchanges()).toEqual(['200', '200'])
  })

  test.each<[what: string, argv: (bench: Workbench) => string[]]>([
    ['for other settings', () => ['--header', 'X-Team: a']],
    ['under another rule', () => ['--federation-rule', 'fdrl_other']],
    ['where nothing is kept', () => ['--cache', 'none']],
  ])('is not sent %s', async (_, argv) => {
    await using bench = await startWorkbench()
    await renew(bench)
    await askFile(bench)
    expect(await askFile(bench, argv(bench))).toEqual(exchangedBefore(bench))
    expect(bench.exchanges()).toEqual(['200'])
  })

  test('is recorded even with --cache none', async () => {
    await using bench = await startWorkbench()
    await renew(bench)
    tokenOf(await askFile(bench, ['--cache', 'none']))
    expect(await askFile(bench)).toEqual(exchangedBefore(bench))
  })

  test('leaves the last token to be served as long as it is valid', async () => {
    await using bench = await startWorkbench()
    await renew(bench)
    const first = tokenOf(await askFile(bench))
    const [name = ''] = (await readdir(cacheOf(bench))).filter((file) => file.endsWith('.json'))
    const path = join(cacheOf(bench), name)
    const entry = JSON.parse(await readFile(path, 'utf8')) as { minted: number } // the format is asserted elsewhere
    await writeFile(path, JSON.stringify({ ...entry, minted: entry.minted - 60_000 }))
    const { stderr, ...answer } = await askFile(bench)
    expect({ ...answer, stderr: toStableValue(stderr, { [bench.home]: 'HOME' }) }).toEqual({
      status: 0,
      stdout: `{"token":"${first}"}\n`,
      stderr: `${program}: warning: the identity token in HOME/identity-token was exchanged before, and may be valid for one exchange only; serving the last token, which is good until DATE\n`,
    })
    expect(bench.exchanges()).toEqual(['200'])
  })

  test('is not sent from another source, such as a program that prints it again', async () => {
    await using bench = await startWorkbench()
    await renew(bench)
    await askFile(bench)
    const argv = ['--identity', 'command', '--identity-command', '/bin/cat']
    const outcome = await askFile(bench, [...argv, '--identity-command', join(bench.home, 'identity-token')])
    expect(outcome).toEqual(
      failure(
        6,
        'the identity token that /bin/cat prints was exchanged before, and may be valid for one exchange only',
        'see what it prints when you run /bin/cat in a terminal; if the platform accepts a token more than once, set identity-reuse to allowed',
      ),
    )
    expect(bench.exchanges()).toEqual(['200'])
  })

  test('is recorded as a digest that only its user can read', async () => {
    await using bench = await startWorkbench()
    const exp = Math.floor(Date.now() / 1000) + 300
    await renew(bench, { exp })
    await askFile(bench)
    const [name = '', ...more] = await listUsed(bench)
    expect([name.replace(/[0-9a-f]{40}/, 'KEY'), ...more]).toEqual(['workload-token-KEY.used'])
    expect(await readFile(join(cacheOf(bench), name), 'utf8')).toBe(`{"expiresAt":${exp * 1000}}`)
  })

  test('is deleted by the first mint after its expiry, and when the cache is cleared', async () => {
    await using bench = await startWorkbench()
    await renew(bench)
    await askFile(bench)
    const [old = ''] = await listUsed(bench)
    await writeFile(join(cacheOf(bench), old), JSON.stringify({ expiresAt: Date.now() }))
    await renew(bench)
    await askFile(bench, [], refresh)
    const left = await listUsed(bench)
    expect({ count: left.length, isOld: left.includes(old) }).toEqual({ count: 1, isOld: false })
    expect(await runBundle('gatepass', { argv: ['cache', 'clear'], env: { HOME: bench.home } })).toEqual(
      prints(`1 token removed from ${cacheOf(bench)}.\n`),
    )
    expect(await listUsed(bench)).toEqual([])
  })
})

test('twenty runs at once with different settings make one exchange', async () => {
  await using bench = await startWorkbench()
  await renew(bench)
  const runs = Array.from({ length: 20 }, (_, index) => askFile(bench, ['--header', `X-Run: ${index}`]))
  const outcomes = await Promise.all(runs)
  expect(outcomes.filter(({ status }) => status === 0)).toHaveLength(1)
  expect(outcomes.filter(({ status }) => status !== 0)).toEqual(Array(19).fill(exchangedBefore(bench)))
  expect(bench.exchanges()).toEqual(['200'])
})

describe('an identity token may be sent again', () => {
  test('after an exchange that failed', async () => {
    await using bench = await startWorkbench()
    await using endpoint = await startTokenEndpoint()
    await renew(bench)
    const busy = { status: 503, headers: { 'retry-after': '120' }, body: '' }
    endpoint.answer(busy, { status: 400, body: { error: 'invalid_grant' } }, { body: granted })
    const statuses = []
    for (const url of ['http://127.0.0.1:1', ...Array(4).fill(endpoint.url)])
      statuses.push((await askFile(bench, ['--base-url', url, '--cache', 'none'])).status)
    // Unreachable, busy, refused, issued, and used before.
    expect({ statuses, sent: endpoint.requests.length }).toEqual({ statuses: [6, 6, 5, 0, 6], sent: 3 })
  })

  test('where identity-reuse is allowed', async () => {
    await using bench = await startWorkbench()
    await using endpoint = await startTokenEndpoint()
    await renew(bench)
    const argv = ['--base-url', endpoint.url, '--identity-reuse', 'allowed']
    for (const context of [{}, refresh]) expect(tokenOf(await askFile(bench, argv, context))).toBe(granted.access_token)
    const [first, second] = endpoint.requests.map(({ body }) => body.assertion)
    expect(first).toBe(second)
  })

  test('without a jti, which a platform needs to recognize a second use', async () => {
    await using bench = await startWorkbench()
    await renew(bench, { jti: undefined })
    for (const context of [{}, refresh]) tokenOf(await askFile(bench, [], context))
    expect(bench.exchanges()).toEqual(['200', '200'])
  })
})

test.each([[[]], [['--cache', 'none']]])('a directory that cannot be used costs one warning: %j', async (argv) => {
  await using bench = await startWorkbench()
  await renew(bench)
  await askFile(bench)
  await renew(bench)
  await chmod(cacheOf(bench), 0o777)
  const { status, stdout, stderr } = await askFile(bench, argv)
  expect({ status, hasToken: stdout.includes('"token"'), stderr }).toEqual({
    status: 0,
    hasToken: true,
    stderr: `${program}: warning: cannot use the token cache: ${cacheOf(bench)} can be written by other users (run: chmod go-w '${cacheOf(bench)}')\n`,
  })
})
