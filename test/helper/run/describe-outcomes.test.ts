import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeLastFailure } from '../../../src/outcomes/last-failure.ts'
import { testNow } from '../../setup/test-host.ts'
import { isRoot } from '../../setup/unprivileged.ts'
import { canary, startOutcomeDesk } from '../record/desk.ts'

/** Returns the lines of the section in which `--explain` says where outcomes go; `undefined` where it has none. */
async function explain(
  desk: Awaited<ReturnType<typeof startOutcomeDesk>>,
  env: Readonly<Record<string, string>>,
  argv: readonly string[] = [],
) {
  const { status, stdout, stderr } = await desk.run({ argv: ['--explain', ...argv], env })
  const [, lines] = stdout.split('\noutcomes\n')
  return { status, lines: lines?.replaceAll(desk.home, 'HOME').trimEnd().split('\n'), stderr }
}
const said = (...lines: string[]) => ({ status: 0, lines: lines.map((line) => `  ${line}`), stderr: '' })
const endpoint = (text: string) => ({ GATEPASS_OTLP_ENDPOINT: text })

test.each([
  [endpoint('https://otel.example:4318/of/us'), ['told to the collector otel.example:4318']],
  [{ ...endpoint(''), GATEPASS_OUTCOME_LOG: 'system' }, ['told to the log of the system']],
  [
    { ...endpoint('http://[::1]:4318'), GATEPASS_OUTCOME_LOG: 'system' },
    ['told to the log of the system and the collector [::1]:4318'],
  ],
  [
    endpoint(`https://u:${canary}@otel.example`),
    [
      'told to nobody',
      'problem: otlp-endpoint: a user or a password in it would be in every log; use otlp-headers-file; no collector is told of this call',
    ],
  ],
])('an explanation says where outcomes go with %j', async (env, lines) => {
  const desk = await startOutcomeDesk()
  expect(await explain(desk, env)).toEqual(said(...lines))
})

test('an explanation leaves out outcomes where nobody is told', async () => {
  const desk = await startOutcomeDesk()
  expect(await explain(desk, endpoint(''))).toEqual({ status: 0, lines: undefined, stderr: '' })
})

test.each([
  ['', 0o600, []],
  ['Authorization: Bearer canary\n', 0o600, []],
  [
    'Authorization: Bearer canary\n',
    0o644,
    [
      `the headers in HOME/own headers can be read or changed by others; run: chmod ${isRoot ? 640 : 600} 'HOME/own headers'`,
    ],
  ],
  [
    'Bearer canary\n',
    0o600,
    ["line 1 of HOME/own headers is not a header that can be sent; write each header as 'Name: value'"],
  ],
])(
  'an explanation says what is wrong with a file of headers that holds %j with the mode %i',
  async (text, mode, problems) => {
    const desk = await startOutcomeDesk()
    await writeFile(join(desk.home, 'own headers'), text, { mode })
    const argv = ['--otlp-headers-file', '~/own headers', '--otlp-resource', 'x']
    expect(await explain(desk, endpoint('https://otel.example'), argv)).toEqual(
      said(
        'told to the collector otel.example',
        'problem: otlp-resource: 1 of 1 are not of the form name=value, such as deployment.environment.name=office, and are left out',
        ...problems.map((problem) => `problem: otlp-headers-file: ${problem}; the collector is not told`),
      ),
    )
  },
)

test('an explanation names a file of headers that is missing', async () => {
  const desk = await startOutcomeDesk()
  expect(await explain(desk, endpoint('https://otel.example'), ['--otlp-headers-file', '~/none'])).toEqual(
    said(
      'told to the collector otel.example',
      'problem: otlp-headers-file: cannot read HOME/none (ENOENT); correct otlp-headers-file; the collector is not told',
    ),
  )
})

test.each([
  ['otlp', endpoint('https://otel.example'), 'the collector otel.example'],
  ['log', { ...endpoint(''), GATEPASS_OUTCOME_LOG: 'system' }, 'the log of the system'],
] as const)('an explanation says when and why the last sending failed (%s)', async (name, env, words) => {
  const desk = await startOutcomeDesk()
  await mkdir(desk.cache, { recursive: true, mode: 0o700 })
  const failure = { time: testNow, message: 'it is overloaded\u001b[2K', hint: 'wait' }
  await writeLastFailure(desk.cache, name, failure)
  await writeLastFailure(desk.cache, 'other', { ...failure, message: 'of another destination' })
  expect(await explain(desk, env)).toEqual(
    said(
      `told to ${words}`,
      'problem: the last sending failed, at 2026-01-15T12:00:00.000Z: it is overloaded\\u001b[2K; wait',
    ),
  )
})

test('an explanation of a file of headers that is wrong now does not repeat that the last sending failed', async () => {
  const desk = await startOutcomeDesk()
  await mkdir(desk.cache, { recursive: true, mode: 0o700 })
  await writeLastFailure(desk.cache, 'otlp', { time: testNow, message: 'cannot read it', hint: 'correct it' })
  const argv = ['--otlp-headers-file', '~/none']
  expect((await explain(desk, endpoint('https://otel.example'), argv)).lines).toEqual([
    '  told to the collector otel.example',
    '  problem: otlp-headers-file: cannot read HOME/none (ENOENT); correct otlp-headers-file; the collector is not told',
  ])
})
