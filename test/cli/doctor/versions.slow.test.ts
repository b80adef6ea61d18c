import { link, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { digestNames } from '../../../src/runtime/digest.ts'
import { suiteName } from '../../../src/suite/installed-programs.ts'
import { vendor } from '../../../src/vendor.ts'
import { version } from '../../../src/version.ts'
import { startStrictGateway } from '../../client/session/test-gateway.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { documentWith, runGatepass, writeTemporary } from '../run-gatepass.ts'

const helper = 'aws-bedrock-token'

/** Installs a program that says what is given for `--version`, and otherwise prints a token. */
async function install(directory: string, name: string, says: string): Promise<void> {
  const script = `#!/bin/sh\nif [ "$1" = --version ]; then echo '${says}'; else echo opaque-token; fi\n`
  await writeFile(join(directory, name), script, { mode: 0o755 })
}

const names = `${vendor.name}, names ${digestNames(vendor)}`
const says = (name: string, release: string, maker = names) =>
  `${name} ${release} (commit unknown, runtime 26.10.0, for ${maker})`

/** Returns the doctor's lines about the installation of a document's helper, without the line on itself. */
async function examine(directory: string, command = helper): Promise<{ status: number | string; part: unknown }> {
  const { url } = await startStrictGateway('opaque-token')
  const document = JSON.parse(documentWith({ command: join(directory, command) }))
  document.inference.baseUrl = url
  const path = await writeTemporary('doc.json', JSON.stringify(document))
  const { status, stdout } = await runGatepass('doctor', path, '--yes', '--json')
  const { part, ...found } = JSON.parse(stdout).parts.find((one: { part: string }) => one.part === 'installation') ?? {}
  return { status, part: part && { ...found, lines: found.lines.slice(1) } }
}

describe('gatepass doctor', () => {
  test('names every program beside a helper with its version, and finds them equal', async () => {
    const directory = await temporaryDirectory()
    await install(directory, suiteName, says(suiteName, version))
    await install(directory, helper, says(helper, version))
    expect(await examine(directory)).toEqual({
      status: 0,
      part: {
        outcome: 'good',
        lines: [suiteName, helper].map(
          (name) => `${name} in ${directory} is ${version} (commit unknown, for ${names})`,
        ),
      },
    })
  })

  test('shows the names of one file on one line', async () => {
    const directory = await temporaryDirectory()
    await install(directory, suiteName, says(suiteName, version))
    const links = ['aws-bedrock-token', 'api-key', 'oidc-token']
    for (const name of links) await link(join(directory, suiteName), join(directory, name))
    const build = `${version} (commit unknown, for ${names})`
    const { part } = await examine(directory)
    expect(part).toEqual({
      outcome: 'good',
      lines: [
        `${suiteName} in ${directory} is ${build}, and so are its other names: api-key, aws-bedrock-token, oidc-token`,
      ],
    })
  })

  test('does not wait for a program whose child keeps its output open', async () => {
    const directory = await temporaryDirectory()
    const drip = 'i=0; while [ $i -lt 300 ]; do i=$((i+1)); sleep 0.2; echo x; done'
    const script = `#!/bin/sh
[ "$1" = --version ] || { echo opaque-token; exit; }
setsid sh -c '${drip}' &
echo '${says(helper, version)}'
`
    await writeFile(join(directory, helper), script, { mode: 0o755 })
    const begin = Date.now()
    expect(await examine(directory)).toEqual({
      status: 0,
      part: {
        outcome: 'good',
        lines: [`${helper} in ${directory} is ${version} (commit unknown, for ${names})`],
      },
    })
    expect(Date.now() - begin).toBeLessThan(40_000)
  })

  test('finds a name that an upgrade left behind, with the command that makes it again', async () => {
    const directory = await temporaryDirectory()
    await install(directory, suiteName, says(suiteName, version))
    await install(directory, helper, says(helper, '0.0.9'))
    expect(await examine(directory)).toEqual({
      status: 1,
      part: {
        outcome: 'bad',
        lines: [
          `${suiteName} in ${directory} is ${version} (commit unknown, for ${names})`,
          `${helper} in ${directory} is 0.0.9 (commit unknown, for ${names})`,
        ],
        cause: `${helper} in ${directory} was left behind by an upgrade, and is another build than ${suiteName} beside it`,
        hint: `install again, or create the name again: ln -f '${directory}/${suiteName}' '${directory}/${helper}'`,
      },
    })
  })

  test('names the installed script that makes the names again', async () => {
    const directory = await temporaryDirectory()
    await install(directory, suiteName, says(suiteName, '0.2.0'))
    await install(directory, helper, 'what is this')
    const installer = join(directory, 'versions', `${suiteName}-0.2.0`, 'install.sh')
    await mkdir(dirname(installer), { recursive: true })
    await writeFile(installer, '')
    expect(await examine(directory)).toEqual({
      status: 1,
      part: {
        outcome: 'bad',
        lines: [
          `${suiteName} in ${directory} is 0.2.0 (commit unknown, for ${names})`,
          `${helper} in ${directory} does not say its version`,
        ],
        cause: `${helper} in ${directory} was left behind by an upgrade, and is another build than ${suiteName} beside it`,
        hint: `install again: '${installer}' --prefix '${directory}'`,
      },
    })
  })

  const ofOneVendor =
    'use the names of one vendor file for all of them: helpers read /etc/gatepass/vendor.json, or else have those of their build; to see those of this command, run: gatepass vendor show'

  test.each([
    [
      'another release',
      '9.0.0',
      names,
      'install gatepass and the helpers of one release: each release has its own rules',
    ],
    ['another vendor', version, 'Another, names 01234567', ofOneVendor],
    ['a vendor of the same name with others besides', version, `${vendor.name}, names 01234567`, ofOneVendor],
  ])('notes helpers of %s', async (_, release, maker, hint) => {
    const directory = await temporaryDirectory()
    for (const name of [suiteName, helper]) await install(directory, name, says(name, release, maker))
    const lines = [suiteName, helper].map(
      (name) => `${name} in ${directory} is ${release} (commit unknown, for ${maker})`,
    )
    expect(await examine(directory)).toEqual({ status: 0, part: { outcome: 'note', lines, hint } })
  })

  test('finds a helper of the same older release equal', async () => {
    const directory = await temporaryDirectory()
    for (const name of [suiteName, helper]) await install(directory, name, says(name, version, vendor.name))
    expect(await examine(directory)).toEqual({
      status: 0,
      part: {
        outcome: 'good',
        lines: [
          `${suiteName} in ${directory} is ${version} (commit unknown, for ${vendor.name})`,
          `${helper} in ${directory} is ${version} (commit unknown, for ${vendor.name})`,
        ],
      },
    })
  })

  test('says nothing about a helper of another suite', async () => {
    const directory = await temporaryDirectory()
    await install(directory, 'theirs', '')
    expect(await examine(directory, 'theirs')).toEqual({ status: 0, part: undefined })
  })
})
