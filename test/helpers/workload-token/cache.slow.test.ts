import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Call, failure, startWorkbench, tokenOf, type Workbench } from './workbench.ts'

/** Whether two runs with different variables each mint a token; the same two again must not. */
async function countTokens(bench: Workbench, argv: readonly string[], both: readonly Call['env'][]): Promise<number> {
  const tokens = new Set<string>()
  for (const env of [...both, ...both]) {
    const whole = [...bench.target, '--client-ttl', '600', ...argv]
    tokens.add(tokenOf(await bench.run({ argv: whole, ...(env && { env }) })))
  }
  expect(bench.exchanges().length).toBe(tokens.size)
  return tokens.size
}

/** Prints the token of whoever `WHO` names. */
async function writeProgram(bench: Workbench): Promise<string> {
  for (const sub of ['alice', 'bob']) {
    const tokens = await Promise.all(Array.from({ length: 4 }, () => bench.provider.sign({ sub })))
    await writeFile(join(bench.home, sub), tokens.join('\n'))
  }
  const path = join(bench.home, 'print-token')
  const script = 'echo run >> "$HOME/runs"; sed -n "$(wc -l < "$HOME/runs")p" "$HOME/$WHO"'
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o700 })
  return path
}

const PATH = '/usr/bin:/bin'

test('a command whose identity depends on a variable that an option names has one entry for each value', async () => {
  await using bench = await startWorkbench()
  const argv = ['--identity', 'command', '--identity-command', await writeProgram(bench), '--watch-variable', 'WHO']
  const both = [
    { PATH, WHO: 'alice' },
    { PATH, WHO: 'bob' },
  ]
  expect(await countTokens(bench, argv, both)).toBe(2)
})

test('variables of the context, of shells and of one process of a client make no other entry', async () => {
  await using bench = await startWorkbench()
  const argv = ['--identity', 'command', '--identity-command', await writeProgram(bench)]
  const both = [
    { PATH, WHO: 'alice', SHLVL: '1', _: '/bin/a', VENDOR_HELPER_CONTEXT: 'interactive', AGENT_SOCKET: '/tmp/1' },
    { PATH: `/tmp/agent-2:${PATH}`, WHO: 'alice', VENDOR_HELPER_CONTEXT: 'background', GATEPASS_FORMAT: 'json' },
  ]
  expect(await countTokens(bench, argv, both)).toBe(1)
  expect(await readFile(join(bench.home, 'runs'), 'utf8')).toBe('run\n')
})

test('variables that options name make another entry also for a source that is not a program', async () => {
  await using bench = await startWorkbench()
  const at = (name: string) => join(bench.home, name)
  const options = ['--watch-variable', 'WHO', '--watch', at('account'), '--client-ttl', '600']
  const countExchanges = async (WHO: string) => {
    await writeFile(at('identity'), await bench.provider.sign({ sub: 'alice' }))
    const argv = [...bench.target, '--identity', 'file', '--identity-file', at('identity'), ...options]
    tokenOf(await bench.run({ argv, env: { WHO } }))
    return bench.exchanges().length
  }
  expect([await countExchanges('a'), await countExchanges('a'), await countExchanges('b')]).toEqual([1, 1, 2])
  await writeFile(at('account'), 'another')
  expect([await countExchanges('a'), await countExchanges('a')]).toEqual([3, 3])
})

test('an endpoint that distinguishes its callers by a secret has an entry for each', async () => {
  await using bench = await startWorkbench()
  const env = bench.services.environment('app-service')
  await bench.run({ argv: [...bench.target, '--identity', 'azure', '--audience', 'https://platform.example'], env })
  const other = { ...env, IDENTITY_HEADER: 'canary-of-another' }
  // A caller without a right to the first token is refused, and not served from the cache.
  const outcome = await bench.run({
    argv: [...bench.target, '--identity', 'azure', '--audience', 'https://platform.example'],
    env: other,
  })
  expect(outcome).toEqual(
    failure(
      5,
      "Azure's identity endpoint gave no identity token (HTTP 401)",
      'run this on Azure with a managed identity assigned, and name one with azure-client if there are several; audience must be a resource that the directory knows',
    ),
  )
})

test('a token that GitHub gave to one job is not served to another', async () => {
  await using bench = await startWorkbench()
  const env = bench.services.environment('github-actions')
  const argv = [...bench.target, '--identity', 'github-actions']
  tokenOf(await bench.run({ argv, env }))
  const outcome = await bench.run({ argv, env: { ...env, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'canary-of-another' } })
  expect(outcome).toEqual(
    failure(
      5,
      'GitHub Actions gave no identity token (HTTP 401)',
      'give the job this permission in its workflow file: permissions: {id-token: write}',
    ),
  )
})
