import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import type { CheckReport } from '../../src/client/check/check-helper.ts'
import type { ClientName } from '../../src/contract/clients.ts'
import { clients } from '../../src/contract/clients.ts'
import { quoteForShell } from '../../src/runtime/text/quote.ts'
import { startCountableSource } from '../cache/countable-source.ts'
import { keysOf, startWorkbench } from '../helpers/aws-bedrock-token/workbench.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** A helper with all that it needs to print its credential. */
interface ReadyHelper {
  readonly name: string
  readonly home: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const server = 'https://own.example'

/** Clients for which a helper prints the keys of an AWS identity. */
type ClientOfAws = 'aws' | 'aws-credential-export'

/** Each client and what its configuration gives the helper beside the format. */
const clientArguments: Readonly<Record<Exclude<ClientName, 'desktop' | ClientOfAws>, readonly string[]>> = {
  'desktop-mcp': ['--client-ttl', '300'],
  'desktop-otlp': ['--client-ttl', '300'],
  'desktop-bootstrap': [],
  codex: ['--client-ttl', '300'],
  'codex-mcp': [],
  copilot: ['--client-ttl', '1'],
  goose: ['--client-ttl', '3600'],
  hermes: [],
  crush: [],
  pi: [],
  'headers-helper': [],
  'otel-headers-helper': ['--client-ttl', '1740'],
  'proxy-auth-helper': ['--client-ttl', '300'],
  'api-key-helper': ['--client-ttl', '300'],
  kubernetes: [],
  bazel: ['--for-host', 'own.example'],
  git: ['--for-host', 'own.example'],
}

/** How long the tokens of {@link startCountableSource} live, which do not say so themselves. */
const tokenLifeSec = '3600'

/** Checks a built helper with the built command, and keeps what is not well, and which of some rules it passes. A client that passes no arguments has them in a script. */
async function check(client: ClientName, { name, home, argv, env }: ReadyHelper, rules = ['client-output']) {
  const { format, start } = clients[client]
  const own = ['--format', format, ...argv]
  const command = [process.execPath, toBundlePath(name), ...(start === 'path' ? own : [])]
  const launcher = join(home, name)
  await writeFile(launcher, `#!/bin/sh\nexec ${quoteForShell(command)} "$@"\n`, { mode: 0o755 })
  const flags = ['--client', client, '--timeout', '8', '--token-life', tokenLifeSec, '--base-url', server, '--json']
  // A temporary directory of its own, because other programs leave files in the system's.
  const environment = { PATH: '/usr/bin:/bin', TMPDIR: await temporaryDirectory(), ...env }
  const options = { env: environment, extendEnv: false, reject: false, stdin: 'ignore' } as const
  const words = [toBundlePath('gatepass'), 'check-helper', ...flags, launcher, ...(start === 'path' ? [] : own)]
  const { exitCode, stdout, stderr } = await execa(process.execPath, words, options)
  const { verdicts = [] } = stdout ? (JSON.parse(stdout) as CheckReport) : {} // as --json is documented
  const bad = verdicts.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
  const passed = rules.filter((name) => verdicts.some(({ rule, verdict }) => rule === name && verdict === 'pass'))
  return { status: exitCode, stderr, bad, passed }
}

describe.each(Object.entries(clientArguments) as [keyof typeof clientArguments, readonly string[]][])(
  'the built gatepass check-helper --client %s',
  (client, own) => {
    test('finds nothing wrong with a helper of the suite', async () => {
      const source = await startCountableSource('workload-token')
      const argv = [...own, ...source.argv(), '--no-headers']
      const report = await check(client, { name: 'workload-token', home: source.home, argv, env: source.env })
      expect(report).toEqual({ status: 0, stderr: '', bad: [], passed: ['client-output'] })
    })
  },
)

test.each(['aws', 'aws-credential-export'] as const)(
  'with --client %s it finds nothing wrong with the credentials of a role',
  async (client) => {
    await using bench = await startWorkbench()
    const keys = keysOf(bench.aws)
    const arn = 'arn:aws:iam::444455556666:role/build'
    bench.aws.addRole({ arn, trusts: ['arn:aws:iam::111122223333:user/dev'] })
    const region = 'eu-central-1'
    await bench.write({
      config: { 'profile build': { region, role_arn: arn, source_profile: 'dev' } },
      credentials: { dev: keys },
    })
    const env = { HOME: bench.home, ...bench.environment }
    const helper = { name: 'aws-bedrock-token', home: bench.home, argv: ['--profile', 'build'], env }
    expect(await check(client, helper, ['client-output', 'stated-end'])).toEqual({
      status: 0,
      stderr: '',
      bad: [],
      passed: ['client-output', 'stated-end'],
    })
  },
)
