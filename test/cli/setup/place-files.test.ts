import { chmod, chown, mkdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { vendor } from '../../../src/vendor.ts'
import { version } from '../../../src/version.ts'
import { openScriptParser } from '../../config/render/management/parse-script.ts'
import { neutralNames } from '../../setup/names.ts'
import { prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { nobody } from '../../setup/unprivileged.ts'
import { nameFolder, runSetup, toFlags } from './run-setup.ts'

/** A build for a vendor has names that a machine must be told. */
const ofVendor = vendor.name === neutralNames.name ? [] : ['vendor.json']

/** Writes a folder of setup with a machine's file and an AWS profile. */
async function writeRollout(): Promise<string> {
  const folder = await nameFolder()
  const answers = { client: 'in-force', 'base-url': 'https://bedrock-runtime.eu-central-1.amazonaws.com' }
  const sso = {
    'sso-start-url': 'https://example.awsapps.com/start',
    'sso-account': '111122223333',
    'sso-role': 'Inference',
  }
  await runSetup(folder, toFlags({ ...answers, ...sso }))
  return folder
}

const directories = { linux: '/etc/gatepass', macos: '/Library/Application Support/Gatepass' } as const
const isRoot = process.getuid?.() === 0

/** Runs the script of a system on a machine whose root is another directory. */
async function place(folder: string, system: keyof typeof directories, root: string) {
  const script = await readFile(join(folder, system, 'place-files.sh'), 'utf8')
  const moved = script.replaceAll("place '/", `place '${root}/`)
  const { exitCode, stdout, stderr } = await execa('sh', { input: moved, reject: false, stripFinalNewline: false })
  const hide = (text: string) => text.replaceAll(root, '')
  return { status: exitCode, stdout: hide(stdout), stderr: hide(stderr) }
}

async function describeFile(path: string) {
  const { uid, gid, mode } = await stat(path)
  return { owner: uid, group: gid, mode: (mode & 0o7777).toString(8) }
}

test.runIf(isRoot).each(['linux', 'macos'] as const)(
  'the script for %s puts every file into its place, where root alone can change it',
  async (system) => {
    const folder = await writeRollout()
    const root = await temporaryDirectory()
    const own = join(root, directories[system])
    // A user was here before.
    await mkdir(own, { recursive: true })
    await chmod(own, 0o777)
    await chown(own, nobody, nobody)
    const placed = prints(
      [
        ...ofVendor.map((name) => `placed ${directories[system]}/${name}\n`),
        `placed ${directories[system]}/aws-bedrock-token.json\nplaced /etc/gatepass/aws/config\n`,
      ].join(''),
    )
    const outcomes = [await place(folder, system, root), await place(folder, system, root)]
    const paths: [source: string, path: string][] = [
      ...ofVendor.map((name): [string, string] => [name, join(own, name)]),
      ['machine/aws-bedrock-token.json', join(own, 'aws-bedrock-token.json')],
      ['aws/config', join(root, '/etc/gatepass/aws/config')],
    ]
    const describeText = async (path: string) => ({ text: await readFile(path, 'utf8'), ...(await describeFile(path)) })
    expect({
      outcomes,
      files: await Promise.all(paths.map(([, path]) => describeText(path))),
      folder: await describeFile(own),
    }).toEqual({
      outcomes: [placed, placed],
      files: await Promise.all(
        paths.map(async ([source]) => ({
          text: await readFile(join(folder, source), 'utf8'),
          owner: 0,
          group: 0,
          mode: '644',
        })),
      ),
      folder: { owner: 0, group: 0, mode: '755' },
    })
  },
)

test.runIf(isRoot)('the script does not follow a directory that is a link', async () => {
  const folder = await writeRollout()
  const root = await temporaryDirectory()
  await mkdir(join(root, 'etc'))
  await symlink(await temporaryDirectory(), join(root, directories.linux))
  expect(await place(folder, 'linux', root)).toEqual({
    status: 1,
    stdout: '',
    stderr: `${directories.linux} is a link: remove it\n`,
  })
})

test('the script for Windows is PowerShell in ASCII, and holds every line of the files', async () => {
  const folder = await writeRollout()
  const script = await readFile(join(folder, 'windows', 'place-files.ps1'), 'utf8')
  const parse = await openScriptParser()
  const calls = parse(script)
    .descendantsOfType('command')
    .map((node) => node?.text ?? '')
    .filter((text) => text.startsWith("Set-MachineFile '"))
  const read = calls.map((text) =>
    [...text.matchAll(/'((?:[^']|'')*)'/g)].map(([, quoted = '']) => quoted.replaceAll("''", "'")),
  )
  const directory = 'C:\\Program Files\\Gatepass'
  const expected = {
    ...Object.fromEntries(ofVendor.map((name) => [name, name])),
    'machine/aws-bedrock-token.json': 'aws-bedrock-token.json',
    'aws/config': 'aws\\config',
  }
  const lines = Object.entries(expected).map(async ([source, path]) => {
    const text = await readFile(join(folder, source), 'utf8')
    return [`${directory}\\${path}`, ...text.trimEnd().split('\n')]
  })
  expect({ read, beyondAscii: script.replaceAll(/[\x20-\x7e]*\r\n/g, '') }).toEqual({
    read: await Promise.all(lines),
    beyondAscii: '',
  })
})

test('the script for Windows installs only the package of its version and processor', async () => {
  const folder = await writeRollout()
  const script = await readFile(join(folder, 'windows', 'place-files.ps1'), 'utf8')
  const parse = await openScriptParser()
  const end = script.slice(script.indexOf('# The registry names')).replaceAll('\r\n', '\n')
  expect({ isBroken: parse(script).hasError, end: end.replaceAll(version, 'VERSION') }).toEqual({
    isBroken: false,
    end: `# The registry names the processor of the machine, also to a program for another one.
$environment = 'HKLM:\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment'
$processor = if ((Get-ItemProperty -LiteralPath $environment).PROCESSOR_ARCHITECTURE -eq 'ARM64') { 'arm64' } else { 'x64' }
$package = Join-Path $PSScriptRoot ('gatepass-helpers-VERSION-win32-' + $processor + '.msi')
if (Test-Path -LiteralPath $package) {
  $words = '/i "' + $package + '" /qn /norestart'
  $installed = Start-Process -FilePath "$env:SystemRoot\\System32\\msiexec.exe" -ArgumentList $words -Wait -PassThru
  Write-Output ('msiexec ended with ' + $installed.ExitCode)
  exit $installed.ExitCode
}
if (@(Get-ChildItem -LiteralPath $PSScriptRoot -Filter '*.msi').Count -gt 0) { throw ('there is no ' + $package) }
exit 0
`,
  })
})
