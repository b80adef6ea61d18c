import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { exportFormats } from '../../../src/cli/config/export-formats.ts'
import { vendor } from '../../../src/vendor.ts'
import { version } from '../../../src/version.ts'
import { openScriptParser } from '../../config/render/management/parse-script.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

/** Writes a folder with these answers besides those of Okta. */
async function writeRollout(answers: Readonly<Record<string, string>>): Promise<string> {
  const folder = await nameFolder()
  await runSetup(folder, toFlags({ ...oktaAnswers, outcomes: 'none', ...answers }))
  return folder
}

const readPilot = async (folder: string) => readFile(join(folder, 'pilot.md'), 'utf8')

/** Lists the steps back of the only system. */
async function listBackSteps(answers: Readonly<Record<string, string>>): Promise<string[]> {
  const back = await readFile(join(await writeRollout(answers), 'back.md'), 'utf8')
  const steps = back.trimEnd().split(/\n\d+\. /)
  // A build for a vendor places a file with its names as well.
  return steps.slice(1).map((step) => step.replace(/`[^`]*vendor\.json`, /, ''))
}

const uninstall = `/opt/gatepass/versions/gatepass-helpers-${version}/install.sh --uninstall`
const windowsFile = String.raw`Delete on each machine: ${'`'}C:\Program Files\Gatepass\oidc-token.json${'`'}.`
const linuxFile = 'Delete on each machine: `/etc/gatepass/oidc-token.json`.'
const macosFile = 'Delete on each machine: `/Library/Application Support/Gatepass/oidc-token.json`.'

test.each([
  [
    ...['files', 'linux'],
    [
      `Remove the document: \`sudo rm ${vendor.linuxManagedFile}\`.`,
      'Remove the package: `apt-get remove gatepass-helpers`, or `dnf remove gatepass-helpers`.',
      linuxFile,
    ],
  ],
  [
    ...['jamf', 'macos'],
    [
      'Take the group out of the scope of the policy that installs the package.',
      'Take it out of the scope of the configuration profile: Macs then remove the profile.',
      `When it is gone there: a policy with *Files and Processes*, Execute Command: \`${uninstall}\`.`,
      macosFile,
    ],
  ],
  [
    ...['intune', 'windows'],
    [
      'Take the group out of the assignment of the remediation, which would set the document again.',
      'Take it out of the assignment of the profile of `windows/oma-uri.json`: Windows then takes its values away.',
      'When both have arrived: Devices, Scripts and remediations, Platform scripts, Add: `windows/undo.ps1`, *logged-on credentials*: No, *64 bit*: Yes. What the remediation wrote stays until then.',
      'When that has run: assign the app of each processor to the group as *Uninstall*, and no longer as required.',
      windowsFile,
    ],
  ],
  [
    ...['sccm', 'windows'],
    [
      'Delete the deployment of the baseline to the collection, because it would set the document again.',
      'When that has arrived: run `windows/undo.ps1` on the collection, with Software Library, Scripts.',
      'When that has run: delete the deployment of the application, and deploy it with the action *Uninstall*.',
      windowsFile,
    ],
  ],
  [
    ...['files', 'windows'],
    [
      'Take the document away: `reg import windows\\undo.reg /reg:64`.',
      `Remove the package: \`msiexec /x gatepass-helpers-${version}-win32-x64.msi /qn\`.`,
      windowsFile,
    ],
  ],
] as const)(
  'the way back from %s on %s removes what sets the document before the document, the package and the files',
  async (management, systems, steps) => {
    expect(await listBackSteps({ management, systems })).toEqual(steps)
  },
)

test('the file that takes the document away is the one of config export --undo', async () => {
  const [intune, files] = await Promise.all([
    writeRollout({ systems: 'windows', management: 'intune' }),
    writeRollout({ systems: 'windows' }),
  ])
  expect({
    intune: await readFile(join(intune, 'windows', 'undo.ps1'), 'utf8'),
    files: new Uint8Array(await readFile(join(files, 'windows', 'undo.reg'))),
  }).toEqual({ intune: exportFormats.intune.undo([]), files: new Uint8Array(exportFormats.reg.undo([])) })
})

const windowsCommand = String.raw`& 'C:\Program Files\Gatepass\oidc-token.exe'`

test('the command for a failing client needs the helper alone, and runs it as the document does', async () => {
  const place = await temporaryDirectory()
  const helper = join(place, 'a helper')
  await writeFile(helper, '#!/bin/sh\nprintf "%s\\n" "$@"\n')
  await chmod(helper, 0o755)
  const folder = await writeRollout({ command: helper })
  const { inference } = JSON.parse(await readFile(join(folder, 'document.json'), 'utf8'))
  const words: string[] = [...inference.credential.args, '--explain']
  const runs = ['linux', 'macos'].map((system) => execa('sh', [join(folder, system, 'explain.sh')]))
  const script = await readFile(join(folder, 'windows', 'explain.ps1'), 'utf8')
  const parse = await openScriptParser()
  expect({
    runs: (await Promise.all(runs)).map(({ stdout }) => stdout.split('\n')),
    windows: { isBroken: parse(script).hasError, command: script.split('\r\n')[1] },
  }).toEqual({
    runs: [words, words],
    windows: { isBroken: false, command: `${windowsCommand} ${words.map((word) => `'${word}'`).join(' ')}` },
  })
})

test('the end of the pilot names the command of each system for a failing client', async () => {
  const pilot = await readPilot(await writeRollout({}))
  expect(pilot.slice(pilot.indexOf('## After that'))).toBe(`## After that

**On Monday** look at: the detection.
**Where a client fails**: have that person run \`linux/explain.sh\`, \`macos/explain.sh\`, \`windows/explain.ps1\`: the package for desktops is enough for it. To try the gateway as well, install the package \`gatepass\` on that machine, and run \`gatepass doctor\` as that person with \`document.json\` of this folder.
**Back**: [back.md](back.md).
`)
})

test('the end of the pilot names a command where the client itself signs people in', async () => {
  const folder = await nameFolder()
  await runSetup(folder, toFlags({ ...oktaAnswers, identity: 'external-idp' }))
  const own = await readPilot(folder)
  expect(own.split('\n').filter((line) => line.startsWith('**Where'))).toEqual([
    '**Where a client fails**: install the package `gatepass` on that machine, and run `gatepass doctor` as that person with `document.json` of this folder.',
  ])
})
