import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { checkVendorFile } from '../../pkg-scripts/build/vendor-file.ts'
import { bundleAll } from '../../pkg-scripts/bundle/bundle.ts'
import { listHelpers, root } from '../../pkg-scripts/tree.ts'
import { exportNames } from '../../src/cli/config/export-formats.ts'
import { createProgram } from '../../src/cli/run-cli.ts'
import { listCommands } from '../cli/list-commands.ts'
import { createTestCli } from '../cli/run-here.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** Names that only the programs of a build without a vendor may print. `./Vendor/MSFT` is a path of Windows. */
const neutralNames =
  /\bVENDOR_|\bvendor-(version|beta|workspace|desktop)|sk-vendor|com\.vendor|aws-external|Policies\\+Vendor|inferenceCloud|\bVendor\b(?! file|\/MSFT)/

const bundles = join(root, 'dist', 'test', 'second-names')

beforeAll(async () => {
  await bundleAll({ vendorFile: checkVendorFile(join(root, 'test/setup/second-names.json')) }, bundles)
})

/** Runs lines of a shell in one home directory, one after another, in which programs are for the other vendor. */
async function startDesk() {
  const home = await temporaryDirectory()
  const bin = join(home, '.bin')
  await mkdir(bin)
  const programs = (await readdir(bundles)).map((file) => [file.replace(/\.cjs$/, ''), join(bundles, file)])
  for (const [name = '', file = ''] of [...programs, ['node', process.execPath]]) await symlink(file, join(bin, name))
  const env = {
    HOME: home,
    PATH: [bin, '/usr/bin', '/bin'].join(delimiter),
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'eu-central-1',
    Acme_AI_HELPER_CONTEXT: 'background',
  }
  const run = async (line: string) => {
    const { status, stdout, stderr } = await runExecutable('/bin/sh', {
      argv: ['-c', line],
      env,
      cwd: home,
      timeoutMs: 60_000,
    })
    return { status, text: stdout + stderr }
  }
  return { home, run }
}

/** Finds the lines of a text that have a neutral name in them. */
const findNeutral = (text: string) => text.split('\n').filter((line) => neutralNames.test(line))

const document =
  '{"inference": {"provider": "gateway", "baseUrl": "https://models.partner.eu-central-1.api.aws", "credential": {"kind": "helper-script", "command": "/opt/gatepass/api-key", "commandWindows": "C:/Gatepass/api-key.exe", "awsEnv": {"profile": "dev"}}}}'

/** Options that a format needs besides its name. */
const more: Readonly<Record<string, string>> = { compliance: '--more-info-url https://help.example.com' }

/** The commands of a person, each with its exit status and a name of the vendor that the output or the written file must hold. */
const lines: readonly (readonly [line: string, status: number, shown?: string])[] = [
  [`echo '${document}' > document.json`, 0],
  ['gatepass --version', 0, 'Acme.ai'],
  ['gatepass config fields', 0, 'inferenceHosted.v2Profile'],
  ['gatepass config schema', 0, 'Acme_AI_HELPER_CONTEXT'],
  ['gatepass config check document.json --os macos', 0],
  ['gatepass config check document.json --here', 1],
  ['gatepass config convert document.json --to flat', 0, 'inferenceHosted.v2Profile'],
  ...exportNames.map(
    (name) => [`gatepass config export document.json --to ${name} --out out-${name} ${more[name] ?? ''}`, 0] as const,
  ),
  ['cat out-mobileconfig', 0, 'example.desk.assistant'],
  ['cat out-reg | iconv -f UTF-16 -t UTF-8', 0, 'Acme & Sons\\Desk 2.0'],
  [
    'gatepass config init --helper aws-bedrock-token --base-url https://models.partner.eu-central-1.api.aws',
    0,
    'models.partner',
  ],
  [
    'gatepass config init --client api-key-helper --base-url https://gateway.example.com --helper api-key',
    0,
    'AGENT_KEY_TTL',
  ],
  ['aws-bedrock-token --service models.partner', 3, 'acme.ai-workspace-id'],
  [
    'aws-bedrock-token --service models.partner --workspace w1 > token.json; cat token.json',
    0,
    'models.partner-api-key-',
  ],
  ['gatepass verify --file token.json', 0, 'models.partner'],
  ['aws-bedrock-token --explain', 0, 'Acme_AI_HELPER_CONTEXT'],
  ['api-key --key-variable Acme_AI_API_KEY', 3, 'Acme_AI_API_KEY'],
  ['gatepass check-helper --rule output-shape aws-bedrock-token', 0, 'Acme_AI_HELPER_MANUAL_RUN'],
  ['gatepass doctor document.json --yes --report ticket.txt', 1],
  ['cat ticket.txt', 0, 'Acme_AI_HELPER_CONTEXT'],
  ['gatepass simulate --html day.html', 0],
  ['gatepass gateway seed --db state.db', 0, 'ak_acme.'],
  ['gatepass gateway policy schema', 0],
  ['gatepass api GET /v1/messages --base-url http://127.0.0.1:8788', 3, 'ACME_PLATFORM_API_KEY'],
  ['gatepass choose --help', 0],
  ...['bash', 'zsh', 'fish'].map((shell) => [`gatepass completion ${shell}`, 0] as const),
]

test('the programs of a build for another vendor show and write no neutral name', async () => {
  const { home, run } = await startDesk()
  const seen: unknown[] = []
  for (const [line, , shown = ''] of lines) {
    const { status, text } = await run(line)
    seen.push([line, status, text.includes(shown) ? shown : text, findNeutral(text)])
  }
  expect(seen).toEqual(lines.map(([line, status, shown = '']) => [line, status, shown, []]))
  const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const written = await Promise.all(
    files.map(async ({ parentPath, name }) => ({ name, text: await readFile(join(parentPath, name), 'latin1') })),
  )
  const names = written.map(({ name }) => name)
  expect(['ticket.txt', 'day.html', 'state.db'].filter((name) => !names.includes(name))).toEqual([])
  const found = written
    .map(({ name, text }) => [name, findNeutral(`${name}\n${text.replaceAll('\0', '')}`)])
    .filter(([, hits]) => hits?.length)
  expect(found).toEqual([])
})

test('no help of a command or helper has a neutral name', async () => {
  const { run } = await startDesk()
  const commands = listCommands(await createProgram((await createTestCli([])).cli))
  const programs = [...listHelpers(), ...commands.map((words) => ['gatepass', ...words].join(' '))]
  const shown = await Promise.all(programs.map(async (program) => ({ program, ...(await run(`${program} --help`)) })))
  expect(shown.map(({ program, status, text }) => [program, status, findNeutral(text)])).toEqual(
    programs.map((program) => [program, 0, []]),
  )
})
