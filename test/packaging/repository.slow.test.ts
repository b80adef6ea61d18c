import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { suiteName } from '../../src/suite/installed-programs.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { startMachine, writeDebian } from './debian-machine.ts'
import { readVersions, run } from './made-up-package.ts'
import { startPublisher, writeRpm } from './publisher.ts'
import { startRpmMachine } from './rpm-machine.ts'

describe('a repository', () => {
  test('serves apt every version that was added to it, and no file that was changed', async () => {
    const { output, publish, endAgent } = await startPublisher()
    const { machine, names, apt } = await startMachine()
    const rpm = await writeRpm('1.0.0')
    await publish(await writeDebian('1.0.0'), rpm)
    const sources = join(machine, 'etc', 'apt', 'sources.list.d')
    await mkdir(sources, { recursive: true })
    await copyFile(join(output, 'apt', 'gatepass.sources'), join(sources, 'gatepass.sources'))
    await apt('update')
    await apt('install', suiteName)
    const seen = [await readVersions(names)]

    await publish(await writeDebian('1.0.1'), rpm)
    await endAgent()
    await apt('update')
    await apt('upgrade')
    seen.push(await readVersions(names))

    await apt('install', '--allow-downgrades', `${suiteName}=1.0.0`)
    seen.push(await readVersions(names))

    const index = join(output, 'apt', 'dists', 'stable', 'InRelease')
    await writeFile(index, (await readFile(index, 'utf8')).replace('Tést', 'Best'))
    const changed = apt('update', '-o', 'APT::Update::Error-Mode=any').catch(
      ({ stderr }) => /signatures were invalid: BADSIG/.exec(stderr)?.[0],
    )
    expect({ seen, changed: await changed }).toEqual({
      seen: [['0 1.0.0'], ['0 1.0.1'], ['0 1.0.0']],
      changed: 'signatures were invalid: BADSIG',
    })
  })

  test.each([
    {
      manager: 'dnf',
      upgrade: ['--refresh', 'upgrade'],
      goBack: ['downgrade', suiteName],
      changed: {
        args: ['--refresh', 'install', suiteName],
        says: 'repomd.xml GPG signature verification error: Bad GPG signature',
      },
    },
    {
      manager: 'zypper',
      upgrade: ['update'],
      goBack: ['install', '--oldpackage', `${suiteName}=1.0.0`],
      changed: { args: ['refresh', '--force'], says: "Signature verification failed for file 'repomd.xml'" },
    },
  ] as const)(
    'serves $manager every version, and no index that was changed',
    async ({ manager, upgrade, goBack, changed }) => {
      const { output, publish, endAgent } = await startPublisher()
      const { names, manage, addRepository } = await startRpmMachine(['/bin/sh'])
      const deb = await writeDebian('1.0.0')
      await publish(deb, await writeRpm('1.0.0'))
      await addRepository(manager, join(output, 'rpm', 'gatepass.repo'))
      await manage(manager, 'install', suiteName)
      const seen = [await readVersions(names)]

      await publish(deb, await writeRpm('1.0.1'))
      await endAgent()
      if (manager === 'zypper') await manage(manager, 'refresh')
      await manage(manager, ...upgrade)
      seen.push(await readVersions(names))

      await manage(manager, ...goBack)
      seen.push(await readVersions(names))

      await manage(manager, 'remove', suiteName)
      const left = await readdir(dirname(names))

      const index = join(output, 'rpm', 'repodata', 'repomd.xml')
      await writeFile(index, (await readFile(index, 'utf8')).replace('<revision>', '<revision>1'))
      const refused = await manage(manager, ...changed.args).then(
        () => 'nothing',
        ({ stdout, stderr }) => stdout + stderr,
      )
      expect({ seen, left, refused }).toEqual({
        seen: [['0 1.0.0'], ['0 1.0.1'], ['0 1.0.0']],
        left: [],
        refused: expect.stringContaining(changed.says),
      })
    },
  )

  test('holds RPM packages and an index that verify with its key, and with no other', async () => {
    const { directory, output, env, publish, endAgent } = await startPublisher()
    await publish(await writeDebian('1.0.0'), await writeRpm('1.0.0'))
    await endAgent()
    const [file = ''] = await readdir(join(output, 'rpm', 'packages'))
    const check = (...args: string[]) =>
      runExecutable('/usr/bin/rpm', { argv: ['--dbpath', join(directory, 'db'), ...args], env })
    const checked = ['--checksig', '--define', '_pkgverify_level all', join(output, 'rpm', 'packages', file)]
    expect((await check(...checked)).stdout).toContain('SIGNATURES NOT OK')
    await check('--import', join(output, 'gatepass.asc'))
    expect(await check(...checked)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('digests signatures OK'),
    })
    const index = join(output, 'rpm', 'repodata', 'repomd.xml')
    await run('gpg', ['--verify', `${index}.asc`, index], { env })
    const { stdout: listed } = await run('zcat', await findPrimary(output))
    expect(listed).toContain(`<location href="packages/${file}"/>`)
    expect(await readFile(join(output, 'rpm', 'gatepass.repo'), 'utf8')).toBe(
      `[gatepass]
name=Gatepass of Tést
baseurl=${pathToFileURL(output).href}/rpm
enabled=1
gpgcheck=1
repo_gpgcheck=1
gpgkey=${pathToFileURL(output).href}/gatepass.asc
`,
    )
  })
})

test('a published version cannot be replaced by other content', async () => {
  const { output, publish, endAgent } = await startPublisher()
  const [deb, rpm] = [await writeDebian('1.0.0'), await writeRpm('1.0.0')]
  await publish(deb, rpm)
  expect(await publish(deb, rpm)).toBe('')
  const [file = ''] = await readdir(join(output, 'rpm', 'packages'))
  const again = await temporaryDirectory()
  for (const [original, name] of [
    [await writeDebian('1.0.1'), basename(deb)],
    [await writeRpm('1.0.1'), file],
  ] as const) {
    const changed = join(again, name)
    await copyFile(original, changed)
    const others = name.endsWith('.deb') ? [changed, rpm] : [deb, changed]
    await expect(publish(...others)).rejects.toThrow(
      `repository: ${name} was published with other content\nrepository: hint: raise the version in package.json, and run: npm run release`,
    )
  }
  await endAgent()
})

test('a key is named by its fingerprint, because several keys may share another name', async () => {
  const script = join(root, 'pkg-scripts', 'release', 'repository', 'add-to-repositories.ts')
  const argv = [script, '--key', 'publisher@example.com', '--url', 'https://packages.example']
  expect(await runExecutable(process.execPath, { argv, env: { PATH: process.env.PATH ?? '' } })).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'repository: --key: expected a fingerprint: 40 hexadecimal digits without spaces\nrepository: hint: see it, behind fpr, with: gpg --list-keys --with-colons\n',
  })
})

async function findPrimary(output: string): Promise<string[]> {
  const folder = join(output, 'rpm', 'repodata')
  return (await readdir(folder)).filter((name) => name.endsWith('primary.xml.gz')).map((name) => join(folder, name))
}
