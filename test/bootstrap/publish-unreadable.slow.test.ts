import { chmod, chown, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { isRoot, nobody } from '../setup/unprivileged.ts'
import { createRollout } from './rollout-folder.ts'

test('the error names the folder of manifests that cannot be read, and not the lock', async () => {
  const home = await temporaryDirectory()
  const rollout = await createRollout({ 'rollout.json': { waves: [100] } })
  // Root reads every folder.
  const user = isRoot ? { uid: nobody, gid: nobody } : {}
  for (const path of [home, rollout]) await chmod(path, 0o755)
  await mkdir(join(home, 'publisher'))
  if (isRoot) await chown(join(home, 'publisher'), nobody, nobody)
  const run = async (...argv: string[]) => {
    const options = { cwd: join(home, 'publisher'), reject: false, ...user }
    const outcome = await execa(process.execPath, [toBundlePath('gatepass'), 'bootstrap', ...argv], options)
    return { status: outcome.exitCode, stdout: outcome.stdout, stderr: outcome.stderr }
  }
  const release = () => run('release', rollout, '--to', 'releases', '--signing-key', 'key')
  await run('keygen', '--out', 'key')
  expect(await release()).toEqual({ status: 0, stdout: 'Release 1 is served to everybody.', stderr: '' })
  await rm(join(home, 'publisher/releases/current.json'))
  await chmod(join(home, 'publisher/releases/manifests'), 0o300)
  expect(await release()).toEqual({
    status: 6,
    stdout: '',
    stderr:
      'gatepass: releases/manifests cannot be read (EACCES)\n' +
      'gatepass: hint: make the whole folder readable for the user who runs this',
  })
})
