import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { suiteName } from '../../../src/suite/suite-name.ts'
import { vendor } from '../../../src/vendor.ts'
import { version } from '../../../src/version.ts'
import { startStrictGateway } from '../../client/turn/test-gateway.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { documentWith, runGatepass, writeTemporary } from '../run-gatepass.ts'

const helper = 'aws-bedrock-token'

/** A program that says what is given for `--version`, and otherwise prints a token. */
async function install(directory: string, name: string, says: string): Promise<void> {
  const script = `#!/bin/sh\nif [ "$1" = --version ]; then echo '${says}'; else echo opaque-token; fi\n`
  await writeFile(join(directory, name), script, { mode: 0o755 })
}

const says = (name: string, release: string, maker: string = vendor.name) =>
  `${name} ${release} (commit unknown, runtime 26.10.0, for ${maker})`

/** What the doctor says of the installation of a document's helper, without the line on itself. */
async function examine(directory: string, command = helper): Promise<{ status: number | string; part: unknown }> {
  const { url } = await startStrictGateway('opaque-token')
  const document = JSON.parse(documentWith({ command: join(directory, command) }))
  document.inference.baseUrl = url
  const path = await writeTemporary('doc.json', JSON.stringify(document))
  const { status, stdout } = await runGatepass('doctor', path, '--yes', '--json')
  const { part, ...found } = JSON.parse(stdout).parts.find((one: { part: string }) => one.part === 'installation') ?? {}
  return { status, part: part && { ...found, lines: found.lines.slice(1) } }
}

describe('gatepass doctor, of what is installed beside a helper,', () => {
  test('names every program with its version, and finds them equal', async () => {
    const directory = await temporaryDirectory()
    await install(directory, suiteName, says(suiteName, version))
    await install(directory, helper, says(helper, version))
    expect(await examine(directory)).toEqual({
      status: 0,
      part: {
        outcome: 'good',
        lines: [suiteName, helper].map(
          (name) => `${name} in ${directory} is ${version} (commit unknown, for ${vendor.name})`,
        ),
      },
    })
  })

  test('finds a name that an upgrade left behind, and says how to make it again', async () => {
    const directory = await temporaryDirectory()
    await install(directory, suiteName, says(suiteName, version))
    await install(directory, helper, says(helper, '0.0.9'))
    expect(await examine(directory)).toMatchObject({
      status: 1,
      part: {
        outcome: 'bad',
        hint: `install again, or create the name again: ln -f '${directory}/${suiteName}' '${directory}/${helper}'`,
      },
    })
  })

  test('names the script of the version that is installed, where there is one', async () => {
    const directory = await temporaryDirectory()
    await install(directory, suiteName, says(suiteName, '0.2.0'))
    await install(directory, helper, 'what is this')
    const installer = join(directory, 'versions', `${suiteName}-0.2.0`, 'install.sh')
    await mkdir(dirname(installer), { recursive: true })
    await writeFile(installer, '')
    expect(await examine(directory)).toMatchObject({
      status: 1,
      part: {
        lines: [expect.anything(), `${helper} in ${directory} does not say its version`],
        hint: `install again: '${installer}' --prefix '${directory}'`,
      },
    })
  })

  test.each([
    ['another release', says(suiteName, '9.0.0'), says(helper, '9.0.0')],
    ['another vendor', says(suiteName, version, 'Another'), says(helper, version, 'Another')],
  ])('notes helpers of %s', async (_, whole, one) => {
    const directory = await temporaryDirectory()
    await install(directory, suiteName, whole)
    await install(directory, helper, one)
    expect(await examine(directory)).toMatchObject({ status: 0, part: { outcome: 'note' } })
  })

  test('says nothing where a helper is somebody else’s', async () => {
    const directory = await temporaryDirectory()
    await install(directory, 'theirs', '')
    expect(await examine(directory, 'theirs')).toEqual({ status: 0, part: undefined })
  })
})
